// Starts Swagger UI. The key that was entered lives as long as the tab: a reload keeps it, closing the tab forgets it.
"use strict";

(function () {
  var SCHEME = "apiKey";
  var STORED = "florin.apiKey";
  var root = document.getElementById("swagger-ui");

  // Storage may be turned off in the browser: then a reload asks for the key again.
  function stored() {
    try { return window.sessionStorage.getItem(STORED); } catch (_off) { return null; }
  }
  function store(key) {
    try { window.sessionStorage.setItem(STORED, key); } catch (_off) { /* not kept */ }
  }

  function keepKey() {
    return {
      statePlugins: {
        auth: {
          wrapActions: {
            authorize: function (original) {
              return function (given) {
                if (given[SCHEME]) { store(given[SCHEME].value || ""); }
                return original(given);
              };
            },
            logout: function (original) {
              return function (names) {
                store("");
                return original(names);
              };
            },
          },
        },
      },
    };
  }

  var dark = window.matchMedia("(prefers-color-scheme: dark)");
  function paint() { document.documentElement.classList.toggle("dark-mode", dark.matches); }
  dark.addEventListener("change", paint);
  paint();

  // The examples are those of the demo data. On other data, the page sends no request by itself.
  var hasDemo = root.dataset.demoKey !== "";
  document.getElementById("note").hidden = !hasDemo;

  var ui = window.SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#swagger-ui",
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [keepKey],
    requestInterceptor: hasDemo ? window.florinLinks.intercept : function (request) { return request; },
    onComplete: function () {
      var kept = stored();
      var key = kept === null ? root.dataset.demoKey : kept;
      if (key) { ui.preauthorizeApiKey(SCHEME, key); }
    },
  });
})();
