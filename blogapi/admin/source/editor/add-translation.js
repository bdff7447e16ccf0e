/** The popover "Add a translation", which creates a draft or links an article or page that exists. */

import { html } from "../../static/vendor/lit.js";
import { get, patch } from "../api.js";
import { choiceCards, field, problemAlert } from "../components.js";
import { openPopover, dialogButtons, toast } from "../dialogs.js";
import { getLanguageName, listLanguageTags } from "../languages.js";
import { getSession } from "../shell.js";
import { COLLECTION, ITEM, isPage, loadArticle, getItemPath, saveWorkingCopy, WHOLE_ARTICLE_QUERY } from "./article.js";
import { openNewDraft } from "./duplicate.js";
import { EMPTY_EDITS } from "./edits.js";
import { makeUuid } from "./journal.js";
import { chooseArticle } from "./link-picker.js";

/** @type {[string, string, string?][]} */
const START_CHOICES = [
  ["copy", "Start with a copy of this text", "Pictures, terms and custom fields too"],
  ["empty", "Start with an empty text", "Only the terms are copied"],
  ["link", `Link ${ITEM === "page" ? "a page" : "an article"} that exists…`],
];
/** @type {Record<string, string>} */
const HELP_TEXTS = {
  copy: "A draft with its own address. Readers see nothing new until you publish it.",
  link: `The ${ITEM} gets this language, and leaves its other translations.`,
};

/**
 * Open the popover. used: the languages that the text and its translations already have.
 * @param {HTMLElement} anchor @param {EditorPage} page @param {string[]} used
 */
export function openTranslationPopover(anchor, page, used) {
  /** @type {{language: string, languages: {language: string}[]}} */
  const { language: siteLanguage, languages } = getSession().site;
  const free = listLanguageTags(siteLanguage).filter((tag) => !used.includes(tag));
  const wanted = [...languages.map(({ language }) => language), ...navigator.languages, "en-GB"];
  const form = { language: wanted.find((tag) => free.includes(tag)) ?? free[0] ?? "", start: "copy" };
  /** @param {Partial<typeof form>} fields */
  const setForm = (fields) => {
    Object.assign(form, fields);
    popover?.update();
  };
  /** @param {Close} close */
  const addTranslation = async (close) => {
    const language = form.language === siteLanguage ? "" : form.language;
    if (form.start !== "link") await createTranslation(page, language, form);
    else await linkTranslation(page, language, close);
  };
  const renderContent = (/** @type {Close} */ close) => {
    const isLink = form.start === "link";
    const items = Object.fromEntries(free.map((tag) => [tag, getLanguageName(tag)]));
    const onInput = (/** @type {string} */ language) => setForm({ language });
    const language = { name: "new-language", label: "Language", type: "select", items, onInput, errors: {} };
    const onChange = (/** @type {string} */ start) => setForm({ start });
    const main = { busy: page.busy === "translate", busyText: isLink ? "Linking…" : "Creating…" };
    return html`<h2>Add a translation</h2>
      ${field({ ...language, value: form.language })}
      ${choiceCards({ label: "Text", name: "start", items: START_CHOICES, value: form.start, onChange })}
      <p class="consequence help">${HELP_TEXTS[form.start] ?? HELP_TEXTS.copy}</p>
      ${problemAlert(page.problem)}
      ${dialogButtons(close, isLink ? "Choose" : "Create the draft", () => addTranslation(close), main)}`;
  };
  const popover = openPopover(anchor, renderContent, { label: "Add a translation", kind: "translation" });
}

/**
 * Create the draft of a translation, and open it.
 * @param {EditorPage} page @param {string} language "" = the language of the site
 * @param {{language: string, start: string}} form
 */
const createTranslation = (page, language, form) =>
  page.runTask("translate", async () => {
    await ensureTranslationKey(page);
    const { edits } = page;
    const { content_type, category, tags, authors, translation_key } = edits;
    const texts =
      form.start === "copy" ? edits : { ...EMPTY_EDITS, content_type, category, tags, authors, translation_key };
    await openNewDraft({ ...texts, language }, isPage ? await findPosition(page.article, form.language) : {});
  });

/**
 * Let the author choose an item, and make it a translation of this one.
 * @param {EditorPage} page @param {string} language @param {Close} close
 */
async function linkTranslation(page, language, close) {
  const list = isPage ? (/** @type {Json} */ query) => get("blog/pages/", { query }) : undefined;
  const chosen = await chooseArticle(page.uuid, `Link ${isPage ? "a page" : "an article"}`, list);
  // In most browsers, the dialog has already closed the popover.
  close();
  if (!chosen) return;
  await page.runTask("translate", async () => {
    await ensureTranslationKey(page);
    const fields = { language, translation_key: page.edits.translation_key };
    const { article, edits, etag } = await loadArticle(chosen.uuid);
    await patch(getItemPath(chosen.uuid), fields);
    // The working copy of the chosen item gets the fields too, because publishing it would otherwise undo the change.
    if (article.working_copy) await saveWorkingCopy(chosen.uuid, { ...edits, ...fields }, { etag });
    await page.showTranslations();
  });
  if (page.problem) toast(page.problem);
}

/**
 * Give the article the key that its translations share, unless it has one. Its unpublished edits get this key, too.
 * @param {EditorPage} page
 */
async function ensureTranslationKey(page) {
  await page.ensureSaved();
  if (page.edits.translation_key) return;
  const translation_key = makeUuid();
  if (page.article.working_copy) {
    page.changeEdits({ translation_key });
    await page.ensureSaved();
  } else {
    const { edits, saver } = page;
    const options = { ...WHOLE_ARTICLE_QUERY, etag: saver.etag };
    const { data: article, etag } = await patch(getItemPath(page.uuid), { translation_key }, options);
    // The author can have typed during the request.
    const loaded = { article, edits: { ...page.edits, translation_key }, etag, saved: article.last_updated };
    page.startWithEdits(loaded, { ...edits, translation_key });
  }
}

/**
 * Return the position for a translation of a page: below the translation of the parent if one exists, otherwise below
 * the parent.
 * @param {Article} page @param {string} language
 */
async function findPosition({ parent, position }, language) {
  if (!parent) return { position };
  const { data: above } = await get(getItemPath(parent), { query: { fields: "translation_key" } });
  const query = { translation_key: above.translation_key, language, status: "any", fields: "uuid" };
  const found = above.translation_key ? (await get(`blog/${COLLECTION}/`, { query })).data : [];
  return { parent: found[0]?.uuid ?? parent, position };
}
