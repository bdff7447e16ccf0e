/** The page with lines to copy that connect a site or an assistant to the blog; a key made here is put into them. */

import { html, nothing } from "../../static/vendor/lit.js";
import { get, patch, post } from "../api.js";
import { button, icon } from "../components.js";
import { copyButton } from "../dialogs.js";
import { formatCount } from "../format.js";
import { showSecretOnce } from "../forms.js";
import { hasRole } from "../roles.js";
import { definePage, Page, getSession } from "../shell.js";
import { renderKeyTabs } from "./key-tabs.js";

const { origin } = location;
const KEY_PLACEHOLDER = "YOUR_KEY";
const IS_MCP_FORBIDDEN = "noDoors" in document.body.dataset;
/** The keys that are made here, by their use: the scope, the name of the key, and the name of the scope. */
const KEY_KINDS = { site: ["published", "Site", "Read published"], assistant: ["drafts", "Assistant", "Drafts"] };

/** @param {string} text */
const renderCopyLine = (text) =>
  html`<div class="connect-line"><pre class="code" tabindex="0">${text}</pre>${copyButton(text)}</div>`;

class Connect extends Page {
  /** The keys that were made here, which the server does not show again. @type {Record<string, string>} */
  madeKeys = {};
  /** Whether the blog answers assistants. */
  isOpen = false;
  /** @type {number | null} */
  webhooks = null;

  async loadData() {
    if (!hasRole("admin")) return;
    const [site, webhooks] = await Promise.all([get("blog/site/"), get("webhooks/")]);
    Object.assign(this, { isOpen: site.data.mcp, webhooks: webhooks.data.length });
  }

  /** @param {keyof typeof KEY_KINDS} use */
  makeKey(use) {
    return this.runTask(use, async () => {
      const [scope, name, may] = KEY_KINDS[use];
      const { data } = await post("auth/api-key/", { name, scopes: [scope], expires: null });
      this.madeKeys[use] = data.public_state;
      const foot = `May ${may.toLowerCase()} as ${getSession().user.username}. Never ends.`;
      const title = `Key “${name}” is made, and in the lines below`;
      await showSecretOnce(this, { title, value: data.public_state, foot });
    });
  }

  /** @param {keyof typeof KEY_KINDS} use */
  renderMakeButton(use) {
    const text = `Make a key: ${KEY_KINDS[use][2]}`;
    return button(text, () => this.makeKey(use), { kind: "bare", busy: this.busy === use });
  }

  /** @param {boolean} mcp */
  setMcpOpen(mcp) {
    return this.runTask("open", async () => {
      const { data } = await patch("blog/site/", { mcp });
      this.setFields({ isOpen: data.mcp });
    });
  }

  renderMcpState() {
    if (IS_MCP_FORBIDDEN) return html`<p class="soft">The server does not allow this (setting <code>DOORS</code>).</p>`;
    if (!hasRole("admin")) return html`<p class="soft">An admin can open the blog to assistants on this page.</p>`;
    const text = this.isOpen ? "The blog answers assistants that have a key." : "The blog answers no assistants yet.";
    const kind = this.isOpen ? "" : "main";
    const word = this.isOpen ? "Close to assistants" : "Open to assistants";
    return html`<p class="soft">${text}</p>
      ${button(word, () => this.setMcpOpen(!this.isOpen), { busy: this.busy === "open", kind })}`;
  }

  renderPage() {
    const { site = KEY_PLACEHOLDER, assistant = KEY_PLACEHOLDER } = this.madeKeys;
    const mcp = `claude mcp add --transport http blog ${origin}/mcp --header "Authorization: Bearer ${assistant}"`;
    const hooks = this.webhooks ? `${formatCount(this.webhooks, "webhook")} so far.` : "There are no webhooks yet.";
    return html`${renderKeyTabs("connect")}${this.once}
      <p class="soft section">Copy a line, and put a key where it says ${KEY_PLACEHOLDER}. A key that you make
        here is put into the lines automatically, and shown once.</p>
      <div class="connect">
        <section><header><h2>${icon("monitor")} A site for readers</h2>${this.renderMakeButton("site")}</header>
          <p class="soft">Two sites are ready-made, and any framework reads the blog over HTTP.</p>
          ${renderCopyLine(`curl -o src/blogapi.js ${origin}/docs/blogapi.js`)}
          ${renderCopyLine(`export BLOG_URL=${origin} BLOG_KEY=${site}`)}
          <p class="small soft"><a href="/docs/front-ends/#with-a-framework">Astro and Next.js</a>,
            <a href="/docs/build-a-front-end/">one page without a framework</a>,
            <a href="/docs/client/#typed-clients">types for TypeScript</a></p></section>
        <section><header><h2>${icon("pen-line")} An AI assistant</h2>${this.renderMakeButton("assistant")}</header>
          <p class="soft">Reads what you can see; writes drafts, edits and files. Never publishes, deletes, or touches
            what readers see.</p>
          ${renderCopyLine(mcp)}
          <p class="small soft">Any program that speaks MCP takes the same address and header.
            <a href="/docs/assistants/">What it can do</a></p>
          ${this.renderMcpState()}</section>
        ${this.renderWebhooks(hooks)}
      </div>`;
  }

  /** @param {string} hooks */
  renderWebhooks(hooks) {
    if (!hasRole("admin")) return nothing;
    return html`<section><header><h2>${icon("webhook")} Webhooks</h2>
        ${button("Webhooks", null, { kind: "bare", href: "/admin/webhooks/" })}</header>
      <p class="soft">A build, a search index or a chat is called when readers see something new.</p>
      <p class="small soft">${hooks} <a href="/admin/webhooks/new/">New webhook</a></p></section>`;
  }
}

definePage(Connect);
