/** The lines to copy for connecting a site, an assistant or another service; a new key is put into them. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get, patch, post } from "../api.js";
import { button, icon } from "../components.js";
import { copyButton } from "../dialogs.js";
import { formatCount } from "../format.js";
import { showSecretOnce } from "../forms.js";
import { hasRole } from "../roles.js";
import { definePage, Page, session } from "../shell.js";
import { renderKeyTabs } from "./key-tabs.js";

const { origin } = location;
const KEY_PLACEHOLDER = "YOUR_KEY";
const IS_FORBIDDEN = "noDoors" in document.body.dataset;
/** The scopes of the keys that are made here, with their names. */
const KEYS = { site: ["published", "Site", "Read published"], assistant: ["drafts", "Assistant", "Drafts"] };

/** @param {string} text */
const renderLine = (text) =>
  html`<div class="connect-line"><pre class="code" tabindex="0">${text}</pre>${copyButton(text)}</div>`;

class Connect extends Page {
  /** The keys that were made here, which the server does not show again. @type {Record<string, string>} */
  made = {};
  isOpen = false;
  /** @type {number | null} */
  webhooks = null;

  async load() {
    if (!hasRole("admin")) return;
    const [site, webhooks] = await Promise.all([get("blog/site/"), get("webhooks/")]);
    Object.assign(this, { isOpen: site.data.mcp, webhooks: webhooks.data.length });
  }

  /** @param {keyof typeof KEYS} use */
  makeKey(use) {
    return this.act(use, async () => {
      const [scope, name, may] = KEYS[use];
      const { data } = await post("auth/api-key/", { name, scopes: [scope], expires: null });
      this.made[use] = data.public_state;
      const foot = `May ${may.toLowerCase()} as ${session().user.username}. Never ends.`;
      const title = `Key “${name}” is made, and in the lines below`;
      await showSecretOnce(this, { title, value: data.public_state, foot });
    });
  }

  /** @param {keyof typeof KEYS} use */
  renderMakeButton(use) {
    return button(`Make a key: ${KEYS[use][2]}`, () => this.makeKey(use), { kind: "bare", busy: this.busy === use });
  }

  /** @param {boolean} mcp */
  setMcp(mcp) {
    return this.act("open", async () => {
      const { data } = await patch("blog/site/", { mcp });
      this.set({ isOpen: data.mcp });
    });
  }

  renderMcpState() {
    if (IS_FORBIDDEN) return html`<p class="soft">Whoever runs the server keeps this closed (<code>DOORS</code>).</p>`;
    if (!hasRole("admin")) return html`<p class="soft">An admin opens the blog to assistants on this page.</p>`;
    const text = this.isOpen ? "The blog answers assistants that have a key." : "The blog answers no assistants yet.";
    const kind = this.isOpen ? "" : "main";
    const word = this.isOpen ? "Close to assistants" : "Open to assistants";
    return html`<p class="soft">${text}</p>
      ${button(word, () => this.setMcp(!this.isOpen), { busy: this.busy === "open", kind })}`;
  }

  renderPage() {
    const { site = KEY_PLACEHOLDER, assistant = KEY_PLACEHOLDER } = this.made;
    const mcp = `claude mcp add --transport http blog ${origin}/mcp --header "Authorization: Bearer ${assistant}"`;
    const hooks = this.webhooks ? `${formatCount(this.webhooks, "webhook")} so far.` : "There are no webhooks yet.";
    return html`${renderKeyTabs("connect")}${this.once}
      <p class="soft section">Copy a line, and put a key where it says ${KEY_PLACEHOLDER}. A key made here is put
        into the lines by itself, and shown once.</p>
      <div class="connect">
        <section><header><h2>${icon("monitor")} A site for readers</h2>${this.renderMakeButton("site")}</header>
          <p class="soft">Two sites are ready-made, and any framework reads the blog over HTTP.</p>
          ${renderLine(`curl -o src/blogapi.js ${origin}/docs/blogapi.js`)}
          ${renderLine(`export BLOG_URL=${origin} BLOG_KEY=${site}`)}
          <p class="small soft"><a href="/docs/front-ends/#with-a-framework">Astro and Next.js</a>,
            <a href="/docs/build-a-front-end/">one page without a framework</a>,
            <a href="/docs/client/#typed-clients">types for TypeScript</a></p></section>
        <section><header><h2>${icon("pen-line")} An AI assistant</h2>${this.renderMakeButton("assistant")}</header>
          <p class="soft">Reads what you can see; writes drafts, edits and files. Never publishes, deletes, or touches
            what readers see.</p>
          ${renderLine(mcp)}
          <p class="small soft">Any program that speaks MCP takes the same address and header.
            <a href="/docs/assistants/">What it can do</a></p>
          ${this.renderMcpState()}</section>
        ${this.renderHooks(hooks)}
      </div>`;
  }

  /** @param {string} hooks */
  renderHooks(hooks) {
    if (!hasRole("admin")) return nothing;
    return html`<section><header><h2>${icon("webhook")} Webhooks</h2>
        ${button("Webhooks", null, { kind: "bare", href: "/admin/webhooks/" })}</header>
      <p class="soft">A build, a search index or a chat is called when readers see something new. The form has help for
        Netlify, Vercel, GitHub and others.</p>
      <p class="small soft">${hooks} <a href="/admin/webhooks/new/">New webhook</a></p></section>`;
  }
}

definePage(Connect);
