// Runs a TypeScript block of docs/WEBHOOKS.md on one webhook, read as JSON from the standard input. Prints whether the
// block accepts the webhook.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The folder in which scripts/webhooks has installed the library and the compiler.
const tools = process.env.NODE_TOOLS;
const typescript = createRequire(`${tools}/`)("typescript");
const { code, secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));

// One block defines a function. The other one is the body of a function, after its import.
const imports = code.split("\n").filter((line) => line.startsWith("import ")).join("\n");
const rest = code.split("\n").filter((line) => !line.startsWith("import ")).join("\n");
const source = rest.includes("function verify(")
  ? `${imports}\n${rest}\nexport const accepts = verify;`
  : `${imports}
export function accepts(signingSecret: string, headers: Record<string, string>, body: string): boolean {
  ${rest}
  return event !== undefined;
}`;
const { diagnostics, outputText } = typescript.transpileModule(source, {
  compilerOptions: { module: "ESNext", target: "ES2022" },
  reportDiagnostics: true,
});
if (diagnostics.length > 0) {
  throw new Error(`${diagnostics.map((found) => found.messageText).join("\n")}\n${source}`);
}
const file = join(tools, `documented-${process.pid}.mjs`);
writeFileSync(file, outputText);
let isAccepted = false;
try {
  const { accepts } = await import(pathToFileURL(file).href);
  isAccepted = accepts(secret, headers, body);
} catch (error) {
  if (error.constructor.name !== "WebhookVerificationError") throw error;
} finally {
  rmSync(file);
}
console.log(isAccepted);
