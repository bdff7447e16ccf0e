const headers = [
  { key: "Referrer-Policy", value: "no-referrer" },
  { key: "Cache-Control", value: "no-store" },
  { key: "X-Robots-Tag", value: "noindex" },
];

// The responses to a browser that has the token of a preview.
export default {
  headers: async () => [
    { source: "/preview/:path*", headers },
    { source: "/:slug", has: [{ type: "cookie", key: "preview-token" }], headers },
  ],
};
