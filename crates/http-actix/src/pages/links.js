// Makes "Try it out" succeed for operations on objects that the demo data lacks. Before such an example is sent, its
// values are replaced by values of another operation's last exchange. The links of the OpenAPI document name that
// operation. If that operation was not called yet, or a later operation used up the object that it created, the page
// first sends the example of that operation, and shows that it did.
"use strict";

window.florinLinks = (() => {
  const STORED = "florin.exchanges";
  let operations;
  let exchanges = stored();

  // The values of the last exchange with each operation, by `operationId` and expression, live as long as the tab, if
  // storage is turned on. Secrets in responses are not among them. A whole body can be large, so a reload forgets it.
  function stored() {
    try { return JSON.parse(window.sessionStorage.getItem(STORED)) || {}; } catch (_off) { return {}; }
  }
  function store() {
    const kept = (name, value) => (name === "$response.body" ? undefined : value);
    try { window.sessionStorage.setItem(STORED, JSON.stringify(exchanges, kept)); } catch (_off) { /* not kept */ }
  }

  /** Reads the operations of the document, each with the link that leads to it, and the source of this link. */
  function read(document) {
    const all = {};
    for (const [path, item] of Object.entries(document.paths)) {
      const pattern = new RegExp(`^${path.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
      for (const [method, definition] of Object.entries(item)) {
        const id = definition.operationId;
        all[id] = { id, path, pattern, method: method.toUpperCase(), definition };
      }
    }
    for (const source of Object.values(all)) {
      for (const response of Object.values(source.definition.responses)) {
        for (const link of Object.values(response.links || {})) {
          Object.assign(all[link.operationId], { source, link });
          source.isSource = true;
        }
      }
    }
    return all;
  }

  /** Finds the operation of a request. A path without parameters takes precedence. */
  function find(request) {
    const path = new URL(request.url, window.location).pathname;
    const fits = (operation) => operation.method === request.method.toUpperCase() && operation.pattern.test(path);
    const braces = (operation) => operation.path.split("{").length;
    return Object.values(operations).filter(fits).sort((one, other) => braces(one) - braces(other))[0];
  }

  /** Returns the media type and the example of an operation's body. */
  function bodyOf({ definition }) {
    const content = definition.requestBody?.content ?? {};
    const type = "application/json" in content ? "application/json" : Object.keys(content)[0];
    return { type, example: content[type]?.example };
  }

  /** Returns the values that an example takes from an earlier exchange: each with the expression that replaces it. */
  function bindings(operation) {
    const { definition, link } = operation;
    const found = [];
    const collect = (linked, example) => {
      if (typeof linked === "string" && linked.startsWith("$")) found.push({ example, expression: linked });
      else if (linked instanceof Object) Object.keys(linked).forEach((name) => collect(linked[name], example?.[name]));
    };
    for (const [name, expression] of Object.entries(link.parameters ?? {})) {
      collect(expression, definition.parameters.find((parameter) => parameter.name === name).example);
    }
    collect(link.requestBody, bodyOf(operation).example);
    return found;
  }

  /** Returns the values of an exchange that links pass to other operations, by expression. */
  function valuesOf(operation, exchange) {
    const targets = Object.values(operations).filter(({ source }) => source === operation);
    const expressions = targets.flatMap(bindings).map(({ expression }) => expression);
    return Object.fromEntries(expressions.map((expression) => [expression, evaluate(expression, exchange)]));
  }

  /** Evaluates an expression, such as `$response.body#/id`. */
  function evaluate(expression, exchange) {
    const [, part, name, pointer] = /^\$(\w+\.\w+)(?:\.(\w+)|#(.*))?$/.exec(expression);
    if (name) return exchange[part][name];
    if (pointer === undefined) return exchange[part];
    return pointer.split("/").slice(1).reduce((value, key) => value?.[key], JSON.parse(exchange[part]));
  }

  // Swagger UI shows a body that is text as a JSON string.
  const isWhole = (body, text) => [text.trim(), JSON.stringify(text)].includes(body.trim());

  function mentions({ url, body }, text) {
    if (text === undefined) return false;
    return url.includes(text) || (typeof body === "string" && (body.includes(text) || isWhole(body, text)));
  }

  function replace(request, from, to) {
    request.url = request.url.replaceAll(from, to);
    if (typeof request.body !== "string") return;
    request.body = isWhole(request.body, from) ? to : request.body.replaceAll(from, to);
  }

  /**
   * Replaces the example values in a request that names the object of the example. An id that the user entered is
   * kept.
   */
  async function fill(operation, request) {
    if (!operation.link) return;
    const all = bindings(operation);
    const returned = all.filter(({ expression }) => expression.startsWith("$response"));
    if (!(returned.length ? returned : all).some(({ example }) => mentions(request, example))) return;
    if (!returned.length && !operation.source.link) {
      // The request itself names the object. The page only creates the object if it does not exist yet.
      if (!(await exists(operation.source, request))) await send(operation.source, request.headers.Authorization);
      return;
    }
    const known = exchanges[operation.source.id];
    const isComplete = known && all.every(({ expression }) => known.values[expression] !== undefined);
    const isUsable = isComplete && (operation.method === "GET" || !known.isUsedUp);
    const exchange = isUsable ? known : await send(operation.source, request.headers.Authorization);
    if (exchange) all.forEach(({ example, expression }) => replace(request, example, exchange.values[expression]));
  }

  /** Whether the object that an operation sets exists already: the page must not replace it. */
  async function exists({ path }, { url, headers: { Authorization } }) {
    const { search } = new URL(url, window.location);
    const response = await fetch(path + search, { headers: { ...(Authorization && { Authorization }) } });
    show({ method: "GET" }, path, response.status);
    return response.ok;
  }

  /** Shows a request that the page sent by itself. */
  function show({ method }, path, status) {
    document.getElementById("sent").textContent += `Sent first: ${method} ${path} (${status})\n`;
  }

  /** Sends the example of an operation. Returns undefined if it is refused. */
  async function send(operation, key) {
    let path = operation.path;
    const query = new URLSearchParams();
    for (const { name, in: place, example } of operation.definition.parameters ?? []) {
      if (example === undefined) continue;
      if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(example));
      if (place === "query") query.set(name, example);
    }
    const { type, example } = bodyOf(operation);
    // With the same idempotency key, the response would be the earlier session, which is used up.
    const own = example?.idempotencyKey && { idempotencyKey: `${example.idempotencyKey}-${Date.now()}` };
    const sent = own ? { ...example, ...own } : example;
    const request = {
      url: `${path}?${query}`,
      method: operation.method,
      headers: { ...(key && { Authorization: key }), ...(type && { "Content-Type": type }) },
      body: sent === undefined || typeof sent === "string" ? sent : JSON.stringify(sent),
    };
    await fill(operation, request);
    const response = await fetch(request.url, request);
    show(operation, new URL(request.url, window.location).pathname, response.status);
    note(operation, request, { ok: response.ok, status: response.status, text: await response.text() });
    return response.ok ? exchanges[operation.id] : undefined;
  }

  /** Forgets the exchange with an operation, and those with operations on its object. */
  function forget(operation) {
    delete exchanges[operation.id];
    Object.values(operations).filter(({ source }) => source === operation).forEach(forget);
  }

  /**
   * Records what a response says about the object of an earlier exchange. Also records the new exchange, if other
   * operations take values from it.
   */
  function note(operation, request, response) {
    const { source, link } = operation;
    const earlier = source && exchanges[source.id];
    if (earlier && bindings(operation).every(({ expression }) => mentions(request, earlier.values[expression]))) {
      const isGone = response.ok ? operation.method === "DELETE" : [403, 404, 409].includes(response.status);
      if (isGone) forget(source);
      if (response.ok && link["x-florin-uses-up"]) {
        for (let used = source; used && exchanges[used.id]; used = used.source) exchanges[used.id].isUsedUp = true;
      }
    }
    const url = new URL(request.url, window.location);
    // A dry run creates nothing.
    if (response.ok && operation.isSource && url.searchParams.get("dryRun") !== "true") {
      forget(operation);
      const values = valuesOf(operation, {
        "request.path": { ...operation.pattern.exec(url.pathname).groups },
        "request.query": Object.fromEntries(url.searchParams),
        "request.body": request.body,
        "response.body": response.text,
      });
      exchanges[operation.id] = { values };
    }
    store();
  }

  /** Prepares a request of Swagger UI, and observes its response. */
  async function intercept(request) {
    if (request.loadSpec || !request.method) return request;
    operations ??= read(await (await fetch("/openapi.json")).json());
    const operation = find(request);
    if (!operation) return request;
    document.getElementById("sent").textContent = "";
    await fill(operation, request);
    request.responseInterceptor = (response) => {
      note(operation, request, response);
      return response;
    };
    return request;
  }

  return { intercept };
})();
