// Where the page is opened without a slash at its end, its parts must still be found: all paths are absolute.
window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#page",
    deepLinking: true,
    persistAuthorization: false,
    // The validator badge would ask a server on the network.
    validatorUrl: null,
  });
});
