/** The import of another blog, which goes on when the page is closed. */

import { html, nothing } from "../../static/vendor/lit.js";
import { makeApiAddress, get, post } from "../api.js";
import { button, checkbox, choiceCards, icon, problemAlert, progressBar, listRow, sectionHead } from "../components.js";
import { announceText } from "../dialogs.js";
import { formatCount, formatDistance, formatDayAndTime, formatNumber, formatSize } from "../format.js";
import { handleSubmit } from "../forms.js";
import { hasRole } from "../roles.js";
import { definePage, Page, refs } from "../shell.js";

const IMPORTING_TEXT = `You can close this page: the import goes on. If you stop it,
  what is already imported stays.`;
/**
 * For each status of a job: the number of finished steps, the name of the status, a sentence, and the text of the
 * button.
 * @type {Record<string, [number, string, string, string?]>}
 */
const JOB_STATUSES = {
  uploading: [0, "Uploading", "Keep this page open until the file is sent."],
  trying: [1, "Trying", "Nothing is stored. You can close this page.", "Stop the trial"],
  tried: [2, "Tried", "Nothing is stored yet. Look at what the trial found, then import."],
  importing: [2, "Importing", IMPORTING_TEXT, "Stop the import"],
  finished: [4, "Finished", "You can import the file again: only what differs is changed."],
  cancelled: [2, "Stopped", "Import the file again to go on."],
  failed: [2, "Failed", "", "Try again"],
  interrupted: [2, "Interrupted", "The server was stopped.", "Go on"],
};
// The steps: the name of each before and after it is done.
const STEPS = { Upload: "Uploaded", "Trial without writing": "Tried without writing", Import: "Imported", Report: "" };
const RUNNING_STATUSES = ["uploading", "trying", "importing"];
const ENDED_STATUSES = ["finished", "cancelled"];
const STAGES = ["unpacking", "reading", "importing"];
/** @type {Record<string, string>} */
const REPORT_TITLES = { tried: "What the trial found", importing: "So far" };
const COLUMNS = { new: "New", changed: "Changed", same: "Same", left_out: "Left out" };
/** @type {Record<string, string[]>} */
const RESULT_MARKS = { refused: ["x", "bad", "left out"], skipped: ["x", "", "skipped"] };
const REMARK_MARK = ["triangle-alert", "warn", "imported, with a remark"];
/**
 * The choices for texts that unknown access rules may have hidden: the value, the label, and the consequence.
 * @type {[string, string, string][]}
 */
const UNREAD_RULE_CHOICES = [
  ["draft", "Drafts", "You publish what everyone could read."],
  ["public", "Public", "The rules hid nothing."],
];
const POLL_MS = 1000;
/** @typedef {Record<string, any>} ImportJob */

class Import extends Page {
  /** @type {ImportJob[]} */
  jobs = [];
  /** @type {ImportJob | undefined} */
  job = undefined;
  /**
   * The names of the marks whose articles come in as public, because the user says that the marks hid nothing.
   * @type {string[]}
   */
  publicMarks = [];
  /** The stage of the job, with the time and the progress at which the page first saw the stage. */
  since = { stage: "", done: 0, time: 0 };

  async loadData() {
    this.jobs = (await get("imports/")).data;
    // Only admins define custom fields.
    refs.form.elements.define_fields.closest(".field").hidden = !hasRole("admin");
    const chosen = new URLSearchParams(location.search).get("job");
    const job = this.jobs.find(({ uuid, status }) => (chosen ? uuid === chosen : !ENDED_STATUSES.includes(status)));
    this.showJob(job && (await get(`imports/${job.uuid}/`)).data);
  }

  /** Show a job, which is loaded again while it runs; without a job, show the form. @param {ImportJob} [job] */
  showJob(job) {
    const { status = "", done, uuid } = job ?? {};
    // The time left is estimated from the progress since the page first saw the stage.
    const stage = `${status} ${job?.stage}`;
    if (this.since.stage !== stage) this.since = { stage, done, time: Date.now() };
    if (job && this.job && this.job.status !== status) announceText(JOB_STATUSES[status][1]);
    history.replaceState(null, "", uuid ? `?job=${uuid}` : location.pathname);
    this.setFields({ job, unreadRules: this.unreadRules ?? job?.options?.unread_rules });
    if (uuid && RUNNING_STATUSES.includes(status)) setTimeout(() => this.job === job && this.reloadPage(), POLL_MS);
  }

  /** @param {Record<string, any>} values */
  async uploadFile({ file, ...options }) {
    this.showJob({ name: file.name, size: file.size, status: "uploading" });
    const sendFile = () => post("imports/", undefined, { file, query: { ...options, name: file.name } });
    this.showJob((await this.runTask("send", sendFile))?.data);
  }

  /** @param {string} action @param {ImportJob} job */
  async changeJob(action, job) {
    const body = action === "start" ? { unread_rules: this.unreadRules, publish_marked: this.publicMarks } : undefined;
    const answer = await this.runTask(action, () => post(`imports/${job.uuid}/${action}/`, body));
    if (answer) this.showJob(answer.data);
  }

  renderMainButton() {
    const { job } = this;
    if (!job || job.status === "uploading") return nothing;
    const { status, counts } = job;
    if (ENDED_STATUSES.includes(status)) return button("Import another file", null, { href: "?job=none" });
    /** @param {string} text @param {string} action @param {string} [kind] */
    const toButton = (text, action, kind) =>
      button(text, () => this.changeJob(action, job), { kind, busy: this.busy === action });
    const text = JOB_STATUSES[status][3] ?? "";
    if (RUNNING_STATUSES.includes(status)) return toButton(text, "cancel");
    const main = text || `Import ${formatCount(counts.articles.new + counts.articles.changed, "text")}`;
    return html`<div class="actions">${toButton("Discard", "cancel", "bare")}${toButton(main, "start", "main")}</div>`;
  }

  renderPage() {
    const { job } = this;
    return html`${refs.tabs}${job ? html`<div class="section">${this.renderJob(job)}</div>` : this.renderForm()}`;
  }

  renderForm() {
    const { jobs } = this;
    /** @param {ImportJob} job */
    const renderEntry = ({ uuid, name, status, last_updated: time }) => {
      const text = `${JOB_STATUSES[status][1]}: ${formatDayAndTime(time)}`;
      return listRow({ title: html`<a href="?job=${uuid}">${name}</a>`, text });
    };
    return html`${refs.form}<section class="section" ?hidden=${!jobs.length}>${sectionHead("Earlier imports")}
      <ul>${jobs.map(renderEntry)}</ul></section>`;
  }

  /** @param {ImportJob} job */
  renderJob(job) {
    const { name, size, status, stage, done, total, error, counts } = job;
    const [current, word, text] = JOB_STATUSES[status];
    const running = RUNNING_STATUSES.includes(status);
    const value = total ? STAGES.indexOf(stage) + done / total : undefined;
    const work = stage && stage !== word.toLowerCase() ? `${stage} ` : "";
    const progress = stage && total ? `, ${work}${formatNumber(done)} of ${formatNumber(total)}` : "";
    /** @param {string[]} names @param {number} n */
    const renderStep = ([before, after], n) => {
      if (n < current) return html`<li>${icon("check")} ${after || before}</li>`;
      if (n > current || !running) return html`<li>${icon("circle-dashed")} ${before}</li>`;
      return html`<li aria-current="step">${icon("loader")} ${word}${progress}</li>`;
    };
    return html`<div class="job-head"><p><b>${name}</b> <span class="soft">${formatSize(size)}</span></p>
        <p class="soft">${running ? this.describeTimeLeft(job) : nothing}</p></div>
      ${running ? progressBar({ value, max: STAGES.length, label: word }) : nothing}
      <ol class="steps">${Object.entries(STEPS).map(renderStep)}</ol>
      ${problemAlert(error)}<p class="section-text soft">${describeStoredTexts(job)} ${text}</p>
      ${status === "tried" && (job.unread_rules || job.marked.length) ? this.renderHiddenTextsQuestion(job) : nothing}
      ${counts && status !== "trying" ? this.renderReport(job) : nothing}`;
  }

  /** @param {ImportJob} job */
  describeTimeLeft({ done, total }) {
    const passed = Date.now() - this.since.time;
    const left = (passed / (done - this.since.done)) * (total - done);
    if (passed < 3000 || !Number.isFinite(left)) return nothing;
    return `Ends ${formatDistance(new Date(Date.now() + Math.ceil(left / 10_000) * 10_000))}`;
  }

  /** @param {ImportJob} job */
  renderHiddenTextsQuestion({ unread_rules: plugins, marked }) {
    const onChange = (/** @type {string} */ unreadRules) => this.setFields({ unreadRules });
    const choice = { label: "New texts come in as", name: "unread_rules", items: UNREAD_RULE_CHOICES, onChange };
    /** @param {{name: string, articles: number}} mark */
    const renderMark = ({ name, articles }) => {
      const onChange = () => this.setFields({ publicMarks: toggleName(this.publicMarks, name) });
      const label = `${name} (${formatCount(articles, "text")})`;
      return checkbox({ id: `mark-${name}`, label, value: this.publicMarks.includes(name), onChange });
    };
    const rules = html`<p class="section-text soft">The file does not contain the rules of ${plugins}. Texts that are
        public in the file may have been for members only.</p>${choiceCards({ ...choice, value: this.unreadRules })}`;
    const marks = html`<p class="section-text soft">These marks may have hidden texts. Choose the marks that hid
        nothing: their texts become public. The texts of the other marks become drafts.</p>${marked.map(renderMark)}`;
    return html`<section class="section">${sectionHead(`What ${plugins || "the old blog"} hid is unknown`)}
      ${plugins ? rules : nothing}${marked.length ? marks : nothing}</section>`;
  }

  /** @param {ImportJob} job */
  renderReport({ uuid, status, counts, problems, problem_count: all, notes, public_here_hidden_there: hiddenThere }) {
    /** @param {string} name @param {Json} numbers */
    const renderLine = (name, numbers) => {
      const cells = Object.keys(COLUMNS).map((key) => html`<td class="num ink">${formatNumber(numbers[key])}</td>`);
      return html`<tr><th scope="row">${name}</th>${cells}</tr>`;
    };
    const href = makeApiAddress(`imports/${uuid}/report/`);
    const isTried = status === "tried";
    /** @param {Json} text of the file @param {string} name of the icon @param {string} kind @param {string} words */
    const renderFile = ({ file, title, reasons, article }, name, kind, words) => {
      const link = article ? html`<a href="/admin/articles/${article}/">Open it</a>` : nothing;
      const subject = html`<b>${file}</b>${title && `, “${title}”,`} ${words}`;
      return listRow({ icon: name, kind, title: subject, text: html`${reasons.join(" ")} ${link}` });
    };
    const remarks = groupByRemark(problems).map((files) => {
      const [{ title, result, reason }, ...others] = files;
      const [name, kind, words] = RESULT_MARKS[result] ?? REMARK_MARK;
      if (!others.length)
        return renderFile({ ...files[0], reasons: [reason] }, name, kind, `${isTried ? "will be" : "was"} ${words}`);
      const number = formatCount(files.length, title ? "text" : "file");
      /** @param {Json} text */
      const renderArticle = ({ file, title: named, article }) =>
        html`<li>${article ? html`<a href="/admin/articles/${article}/">${named || file}</a>` : named || file}</li>`;
      const subject = html`<b>${number}</b> ${isTried ? "will be" : "were"} ${words}`;
      const list = html`<details><summary>Show them</summary><ul>${files.map(renderArticle)}</ul></details>`;
      return listRow({ icon: name, kind, title: subject, text: html`${reason} ${list}` });
    });
    const hidden = hiddenThere.map((/** @type {Json} */ text) => renderFile(text, "eye", "bad", "is public here"));
    const more =
      all > problems.length ? `These are the first ${problems.length} of ${all} files; all are in the report.` : "";
    return html`<section class="section">${sectionHead(REPORT_TITLES[status] ?? "Report")}
      <div class="table-frame"><table class="table"><thead><tr><th scope="col">Kind</th>
        ${Object.values(COLUMNS).map((name) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead>
        <tbody>${renderLine("Articles and pages", counts.articles)}${renderLine("Pictures", counts.pictures)}</tbody>
      </table></div></section>
      <section class="section" ?hidden=${!hidden.length}>${sectionHead("Public here, hidden there")}
        <ul>${hidden}</ul></section>
      <section class="section" ?hidden=${!problems.length && !notes.length}>
        ${sectionHead("Needs a look", html`<a href=${href} download>Download the report</a>`)}
        <ul>${notes.map((/** @type {string} */ title) => listRow({ icon: "info", title }))}${remarks}</ul>
        <p class="section-text soft">${more}</p></section>`;
  }
}

/**
 * Group the files by remark; a file with several remarks is in several groups.
 * @param {Json[]} problems @returns {Json[][]}
 */
function groupByRemark(problems) {
  const single = problems.flatMap((file) => file.reasons.map((/** @type {string} */ reason) => ({ ...file, reason })));
  const makeRemarkKey = (/** @type {Json} */ { result, reason }) =>
    `${(RESULT_MARKS[result] ?? REMARK_MARK)[2]}: ${reason}`;
  return [...Map.groupBy(single, makeRemarkKey).values()];
}

/** Return the names without this one, or with it. @param {string[]} names @param {string} name */
function toggleName(names, name) {
  return names.includes(name) ? names.filter((other) => other !== name) : [...names, name];
}

/** Return a sentence about the numbers of texts that a stopped job has stored and not stored. @param {ImportJob} job */
function describeStoredTexts({ status, stage, total, counts }) {
  if (!["cancelled", "failed", "interrupted"].includes(status)) return "";
  const { articles } = counts;
  const stored = articles.new + articles.changed + articles.same;
  if (!stored) return "Nothing was imported.";
  const left = stage === "importing" ? total - stored : 0;
  const rest = left > 0 ? ` ${formatCount(left, "text was", "texts were")} not.` : "";
  return `${formatCount(stored, "text was", "texts were")} imported, and ${stored === 1 ? "stays" : "stay"}.${rest}`;
}

const page = definePage(Import);
handleSubmit(refs.form, (values) => page.uploadFile(/** @type {any} */ (values)));
