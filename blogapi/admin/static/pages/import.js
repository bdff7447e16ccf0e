/** Import of another blog, which the server goes on with when the page is closed, and export of this one. */

import { html, nothing } from "../vendor/lit.js";
import { apiAddress, get, post } from "../api.js";
import { button, checkbox, field, icon, linkButton, notice, progressBar, row, sectionHead,
  tabs } from "../components.js";
import { count, formatDayAndTime, formatNumber, formatSize } from "../format.js";
import { bind, remove } from "../forms.js";
import { announce, definePage, Page } from "../shell.js";

// The word of each status, the sentence that follows from it, and the word of the button that starts.
const STATUSES = {
  trying: ["Trying", "Nothing is stored yet. You can close this page: the trial goes on."],
  tried: ["Tried", "Nothing is stored yet. Look at what the trial found, then import."],
  importing: ["Importing", "You can close this page: the import goes on. Stopping keeps what is in."],
  finished: ["Finished", "To import the file again is safe: only what differs is changed."],
  cancelled: ["Stopped", "What was in by then stays. Import the file again to go on."],
  failed: ["Failed", "What was in by then stays.", "Try again"],
  interrupted: ["Interrupted", "The server was stopped. What was in by then stays.", "Go on"],
};
const RUNNING = ["trying", "importing"];
const ENDED = ["finished", "cancelled"];
const COLUMNS = { new: "New", changed: "Changed", same: "Same", left_out: "Left out" };
const RESULTS = { refused: ["x", "bad", "was left out"], skipped: ["x", "", "was not taken"] };
const REMARK = ["triangle-alert", "warn", "came in, with a remark"];
const MAX_PROBLEMS = 50;
const POLL_MS = 1000;
const FILE_HELP = "An export of WordPress, Ghost, Blogger, Medium or blogapi, or a zip of Markdown files";
const PAGES = [["tag", "Import as articles with the tag “page”"], ["skip", "Leave out"]];
const FORMATS = [["default", "Any system, or a blog like this"], ["hugo", "Hugo"], ["jekyll", "Jekyll"]];

class Transfer extends Page {
  static place = "import";
  static heading = "Import and export";

  renderPage() {
    const items = [
      { key: "import", text: "Import", href: "/admin/import/" },
      { key: "export", text: "Export", href: "/admin/export/" },
    ];
    return html`${tabs(items, document.body.dataset.page)}<div class="section">${this.renderTab()}</div>`;
  }
}

class Import extends Transfer {
  options = { base_url: "", pages: "tag" };
  upload = null;

  async load() {
    this.jobs = (await get("imports/")).data;
    const chosen = new URLSearchParams(location.search).get("job");
    const wanted = ({ uuid, status }) => (chosen ? uuid === chosen : !ENDED.includes(status));
    const job = this.jobs.find(wanted);
    this.show(job && (await get(`imports/${job.uuid}/`)).data);
  }

  /** Show a job, and look again while it runs; or show the form. */
  show(job) {
    const stage = job && `${job.status} ${job.stage}`;
    // The time left is judged from the first look at a stage.
    if (job && this.since?.stage !== stage) this.since = { stage, done: job.done, time: Date.now() };
    if (job && this.job && this.job.status !== job.status) announce(STATUSES[job.status][0]);
    history.replaceState(null, "", job ? `?job=${job.uuid}` : location.pathname);
    this.set({ job });
    if (job && RUNNING.includes(job.status)) setTimeout(() => this.look(job), POLL_MS);
  }

  async look(job) {
    try {
      if (this.job === job) this.show((await get(`imports/${job.uuid}/`)).data);
    } catch (error) {
      this.set({ state: "failed", failure: error });
      this.retryIn(10);
    }
  }

  async send(event) {
    event.preventDefault();
    const [file] = document.getElementById("field-file").files;
    if (!file) return this.set({ errors: { file: "Choose the file first." } });
    const stop = new AbortController();
    const onProgress = (sent) => this.set({ upload: { file, sent, stop } });
    const options = { file, query: { ...this.options, name: file.name }, onProgress, signal: stop.signal };
    onProgress(0);
    // After a stop by the user, there is no answer.
    const answer = await this.act("send", () => post("imports/", undefined, options)).catch(() => null);
    this.set({ upload: null });
    return answer && this.show(answer.data);
  }

  async change(action) {
    const answer = await this.act(action, () => post(`imports/${this.job.uuid}/${action}/`));
    if (answer) this.show(answer.data);
  }

  async startOver() {
    history.replaceState(null, "", "?job=new");
    await this.reload();
  }

  renderMain() {
    const { job, busy, upload } = this;
    if (upload) return button({ text: "Stop the upload", onClick: () => upload.stop.abort() });
    if (!job) return nothing;
    const { status, counts: { articles } } = job;
    const startOver = () => this.startOver();
    if (ENDED.includes(status)) return button({ text: "Import another file", onClick: startOver });
    if (status === "trying") return this.renderCancel("Stop the trial");
    if (status === "importing") return this.renderCancel("Stop the import");
    const text = STATUSES[status][2] ?? `Import ${count(articles.new + articles.changed, "article")}`;
    return button({ text, kind: "main", busy: busy === "start", onClick: () => this.change("start") });
  }

  renderCancel(text) {
    const busy = this.busy === "cancel";
    return button({ text, busyText: "Stopping…", busy, onClick: () => this.change("cancel") });
  }

  renderTab() {
    const { job, upload } = this;
    if (!upload) return job ? this.renderJob(job) : this.renderForm();
    const { file: { name, size }, sent } = upload;
    return html`${this.renderHeadOf({ name, size })}${progressBar({ value: sent, max: size, label: "Sent" })}
      <p class="section-text soft">Sent ${formatSize(sent)}. Keep this page open until the file is sent.</p>`;
  }

  renderForm() {
    const { errors, options, busy } = this;
    const input = bind(this, options);
    const control = html`<input id="field-file" type="file" aria-describedby="field-file-help"
      aria-invalid=${errors.file ? "true" : nothing}>`;
    const earlier = this.jobs.filter(({ status }) => !RUNNING.includes(status));
    return html`<form class="form" novalidate @submit=${(event) => this.send(event)}>
        ${field({ name: "file", label: "File of the other blog", control, errors, help: FILE_HELP })}
        ${input("base_url", "Former address of the blog", { type: "url",
          help: "Optional. Links to it will lead to the imported articles" })}
        ${input("pages", "Pages, such as “About”", { type: "select", options: PAGES })}
        ${checkbox({ name: "publish_undated", label: "Publish texts that have no date",
          help: "Otherwise they become drafts", onChange: (on) => (options.publish_undated = on || null) })}
        <div>${button({ text: "Upload and try", kind: "main", type: "submit", busy: busy === "send" })}
          <p class="section-text soft">The file is tried first. Nothing is stored until you say so.</p></div>
      </form>
      <section class="section" ?hidden=${!earlier.length}>${sectionHead("Earlier imports")}
        <ul>${earlier.map((job) => this.renderEarlier(job))}</ul></section>`;
  }

  renderEarlier({ uuid, name, status, last_updated: time }) {
    const onClick = () => remove(this, `imports/${uuid}/`);
    return row({
      title: html`<a href="?job=${uuid}">${name}</a>`,
      text: `${STATUSES[status][0]}: ${formatDayAndTime(time)}`,
      side: button({ icon: "trash-2", label: `Remove ${name} from this list`, kind: "bare", onClick }),
    });
  }

  renderHeadOf({ name, size }, side) {
    return html`<div class="job-head"><p><b>${name}</b> <span class="soft">${formatSize(size)}</span></p>
      <p class="soft">${side}</p></div>`;
  }

  renderJob(job) {
    const { status, done, total, error, counts } = job;
    const [word, text] = STATUSES[status];
    const running = RUNNING.includes(status);
    const discard = running || ENDED.includes(status) ? nothing : this.renderCancel("Discard");
    const cell = (number) => html`<td class="num ink">${formatNumber(number)}</td>`;
    const line = (name, numbers) => html`<tr><th scope="row">${name}</th>
      ${Object.keys(COLUMNS).map((key) => cell(numbers[key]))}</tr>`;
    return html`${this.renderHeadOf(job, running ? this.timeLeft(job) : nothing)}
      ${running ? progressBar({ value: total ? done : undefined, max: total, label: word }) : nothing}
      ${this.renderSteps(job)}
      ${error ? notice({ icon: "circle-alert", title: error, text })
        : html`<p class="section-text soft">${text}</p>`}
      <p class="section-text">${discard}</p>
      <section class="section">${sectionHead(status === "tried" ? "What the trial found" : "So far")}
        <div class="table-frame"><table class="table"><thead><tr><th scope="col">Kind</th>
          ${Object.values(COLUMNS).map((name) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead>
          <tbody>${line("Articles", counts.articles)}${line("Pictures", counts.pictures)}</tbody>
        </table></div></section>
      ${this.renderProblems(job)}`;
  }

  timeLeft({ done, total }) {
    const passed = (Date.now() - this.since.time) / 1000;
    const left = (passed / (done - this.since.done)) * (total - done);
    if (passed < 3 || !Number.isFinite(left)) return nothing;
    const seconds = count(Math.ceil(left / 10) * 10, "second");
    return `About ${left < 90 ? seconds : count(Math.round(left / 60), "minute")} left`;
  }

  renderSteps({ status, done, total }) {
    const current = { trying: 1, finished: 4 }[status] ?? 2;
    const running = RUNNING.includes(status);
    const imported = status === "finished" ? "Imported" : "Import";
    const words = ["Uploaded", "Tried without writing", imported, "Report"];
    const so = total ? `, ${formatNumber(done)} of ${formatNumber(total)}` : "";
    if (running) words[current] = STATUSES[status][0] + so;
    const step = (word, at) => html`<li aria-current=${at === current ? "step" : nothing}>${at < current
      ? icon("check", "good") : icon(running && at === current ? "loader" : "circle-dashed")} ${word}</li>`;
    return html`<ol class="steps">${words.map(step)}</ol>`;
  }

  renderProblems({ uuid, problems, problem_count: all, notes }) {
    if (!problems.length && !notes.length) return nothing;
    const href = apiAddress(`imports/${uuid}/report/`);
    const rows = problems.slice(0, MAX_PROBLEMS).map(({ file, title, result, reasons }) => {
      const [name, kind, word] = RESULTS[result] ?? REMARK;
      const text = reasons.join(" ");
      return row({ icon: name, kind, text, title: html`<b>${file}</b>${title && `, “${title}”,`} ${word}` });
    });
    return html`<section class="section">
      ${sectionHead("Needs a look", html`<a href=${href} download>Download the report</a>`)}
      <ul>${notes.map((note) => row({ icon: "info", title: note }))}${rows}</ul>
      ${all > rows.length ? html`<p class="section-text soft">And ${count(all - rows.length, "more file")},
        which the report lists.</p>` : nothing}</section>`;
  }
}

class Export extends Transfer {
  options = { format: "default", drafts: true };

  renderTab() {
    const { options } = this;
    const drafts = (on) => ((options.drafts = on), this.requestUpdate());
    const link = { href: apiAddress("export/", options), download: true, icon: "download", kind: "main" };
    return html`<div class="form">
      ${bind(this, options)("format", "Files for", { type: "select", options: FORMATS })}
      ${checkbox({ name: "drafts", label: "With drafts, scheduled and archived articles", onChange: drafts,
        help: "Without them, it holds what every reader can see", checked: options.drafts })}
      <div>${linkButton({ text: "Download the blog", ...link })}
        <p class="section-text soft">A zip archive with your texts as files, and your pictures. Users, keys
          and earlier versions are in <a href="/admin/backups/">backups</a> only.</p></div></div>`;
  }
}

definePage(document.body.dataset.page === "export" ? Export : Import);
