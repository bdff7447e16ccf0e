const input = `${process.env.BLOG_URL}/openapi.json`;
const output = { target: "./api.ts", client: "fetch", baseUrl: process.env.BLOG_URL };

export default { blog: { input, output } };
