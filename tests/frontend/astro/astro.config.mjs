import node from "@astrojs/node";

// Only the preview page needs the server; all other pages are static.
export default { adapter: node({ mode: "standalone" }), devToolbar: { enabled: false } };
