// A shop with one product, paid through Florin: node shop.js
//
// Set FLORIN_URL (http://127.0.0.1:8080/v2), FLORIN_API_KEY, FLORIN_ACCOUNT and FLORIN_CHECKOUT, the id of a SHOPPING checkout
// in pounds; see the README. The shop listens on PORT, 3000 by default.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { randomUUID } from "node:crypto";

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};
const [api, key, account, checkout] = ["FLORIN_URL", "FLORIN_API_KEY", "FLORIN_ACCOUNT", "FLORIN_CHECKOUT"].map(setting);

interface Session {
  id: string;
  status: "OPEN" | "PROCESSING" | "COMPLETED" | "CANCELLED" | "ABANDONED" | "EXPIRED";
  checkoutUrl: string;
  paymentReference: string;
}

async function florin<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${api}${path}?accountId=${account}`, {
    method,
    headers: { Authorization: `ApiKey ${key}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = (await response.json()) as T & { message?: string };
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
  return answer;
}

/** The id of each order's session, by the number of the order. A real shop keeps the ids in its database. */
const orders = new Map<string, string>();

/** Creates a session for an order. The order's number is the idempotency key, so a second click does not buy twice. */
async function buy(order: string, shop: string): Promise<Session> {
  const session = await florin<Session>("POST", "/merchant/checkout-sessions", {
    type: "SHOPPING",
    checkoutId: checkout,
    idempotencyKey: order,
    merchantReference: order,
    amount: { amount: "12.50", currencyCode: "GBP" },
    description: "Two mugs",
    basket: { items: [{ name: "Mug", quantity: 2, unitPrice: "6.25" }] },
    returnUrl: `${shop}/orders/${order}`,
  });
  orders.set(order, session.id);
  return session;
}

/** Returns the page to which the payment page leads back. A visit to it does not prove a payment, so the shop asks Florin for the status. */
async function orderPage(sessionId: string): Promise<string> {
  const session = await florin<Session>("GET", `/merchant/checkout-sessions/${sessionId}`);
  switch (session.status) {
    case "COMPLETED":
      return `<h1>Thank you</h1><p>Your mugs are on their way. Reference ${session.paymentReference}.</p>`;
    case "PROCESSING":
      return "<h1>Almost there</h1><p>Your bank has not confirmed the payment yet.</p>";
    case "OPEN":
      return `<h1>Not paid yet</h1><p><a href="${session.checkoutUrl}">Pay now</a></p>`;
    default:
      return '<h1>Not paid</h1><p><a href="/">Back to the shop</a></p>';
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const shop = `http://${request.headers.host}`;
  const html = (status: number, body: string): void => {
    response.writeHead(status, { "Content-Type": "text/html; charset=utf-8" });
    response.end(`<!doctype html><html lang="en"><title>Mugs</title>${body}</html>`);
  };
  const session = orders.get((request.url ?? "").replace("/orders/", ""));
  if (request.method === "GET" && request.url === "/") {
    const form = `<form method="post" action="/buy/${randomUUID()}"><button>Buy two mugs for £12.50</button></form>`;
    html(200, `<h1>Mugs</h1>${form}`);
  } else if (request.method === "POST" && request.url?.startsWith("/buy/")) {
    const { checkoutUrl } = await buy(request.url.slice("/buy/".length), shop);
    response.writeHead(303, { Location: checkoutUrl }).end();
  } else if (request.method === "GET" && session !== undefined) {
    html(200, await orderPage(session));
  } else {
    html(404, "<h1>Not found</h1>");
  }
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: Error) => {
    console.error(error.message);
    response.writeHead(502).end("The payment service did not answer as expected.");
  });
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address !== "string") console.log(`http://127.0.0.1:${address.port}/`);
});
