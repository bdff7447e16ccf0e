// All paths are absolute, so that the page also works if its URL has no trailing slash.
window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#page",
    deepLinking: true,
    persistAuthorization: false,
    // The validator badge would send a request to an external server.
    validatorUrl: null,
  });
});
