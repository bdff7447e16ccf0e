/** The first page of a new blog, which asks for its name, language, time zone and address, and shows a sample. */

import { ApiError, get, patch } from "../api.js";
import { setTimeZone } from "../format.js";
import { setHelpText, showFieldErrors } from "../forms.js";
import { getLanguageName, listLanguageTags } from "../languages.js";
import { definePage, Page, refs, getSession } from "../shell.js";
import * as storage from "../storage.js";
import { offerTimeZones } from "../time-zones.js";
import { WELCOME_KEY } from "./items.js";

const { form } = refs;
const { title, name, language, time_zone: zone, place, url } = form.elements;
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

const formatInZone = (/** @type {Intl.DateTimeFormatOptions} */ options, locale = "en-GB") =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: zone.value || "UTC" }).format(new Date());

function getGreeting() {
  const hour = Number(formatInZone({ hour: "numeric", hourCycle: "h23" }));
  return hour < 5 || hour > 17 ? "Good evening" : hour < 12 ? "Good morning" : "Good afternoon";
}

class Welcome extends Page {
  greeting = "";
  /** @type {any} the site as the server has it */
  site = null;

  async loadData() {
    const [{ data: me }, { data: site, etag }, { data: authors }, { data: articles }, { data: keys }] =
      await Promise.all([
        get("auth/me/"),
        get("blog/site/"),
        get("blog/authors/", { query: { fields: "uuid,name,user" } }),
        get("blog/articles/", { query: { status: "any", page: 1, page_size: 1, fields: "uuid" } }),
        get("auth/api-key/"),
      ]);
    this.etag = etag;
    this.profile = authors.find((/** @type {Term} */ { user }) => user === me.user);
    if (this.isFilled) return;
    this.isFilled = true;
    const own = site.language === "en" ? navigator.language : site.language;
    for (const tag of listLanguageTags(own)) language.add(new Option(getLanguageName(tag), tag));
    language.value = own;
    title.value = site.title;
    name.value = this.profile?.name ?? me.username;
    this.site = site;
    url.value = site.built_in ? "" : site.url;
    // If articles, keys or an address exist, another site may show the blog, so the built-in site is not suggested.
    const isUnused = !articles.length && !keys.length && !site.url;
    place.value = site.built_in || isUnused ? "here" : "own";
    offerTimeZones(zone, site.time_zone === "UTC" ? timeZone : site.time_zone);
    this.greeting = `${getGreeting()}, ${name.value}`;
  }

  /** Save the answers, and open the page of the clicked button. @param {string} target */
  async saveAnswers(target) {
    const isHere = place.value === "here";
    /** @type {Record<string, string>} */
    const errors = {};
    if (!title.value.trim() && target !== "/admin/") errors.title = "Name the blog. You can change the name any time.";
    if (!name.value.trim()) errors.name = "Enter the name to show below your articles.";
    if (!isHere && url.value && !/^https?:\/\//.test(url.value)) errors.url = "https:// is missing in front";
    const sendAnswers = async () => {
      if (Object.keys(errors).length) throw new ApiError(422, { errors });
      const here = this.site.built_in ? this.site.url : location.origin;
      const address = { built_in: isHere, url: isHere ? here : url.value };
      const local = { language: language.value, time_zone: zone.value || timeZone };
      const site = { title: title.value.trim(), ...local, ...address };
      // If the next request fails, the user sends the form again.
      this.etag = (await patch("blog/site/", site, { etag: this.etag })).etag;
      const isRenamed = this.profile && this.profile.name !== name.value.trim();
      if (isRenamed) await patch(`blog/authors/${this.profile.uuid}/`, { name: name.value.trim() });
      return true;
    };
    if (!(await this.runTask("save", sendAnswers))) return;
    storage.setItem(WELCOME_KEY, true);
    setTimeZone(zone.value);
    location.assign(target);
  }

  updated() {
    super.updated();
    if (this.state !== "ready") return;
    showFieldErrors(form, this.errors);
    refs.problem.textContent = this.problem;
    refs.mainButton.ariaBusy = this.busy ? "true" : null;
    setHelpText(form, "time_zone", `It is ${formatInZone({ timeStyle: "short", hourCycle: "h23" })} there now`);
    setHelpText(form, "name", `Under your articles. You keep signing in as “${getSession().user.username}”.`);
    url.closest(".field").hidden = place.value !== "own";
    if (this.isFocused) return;
    this.isFocused = true;
    title.focus();
  }

  renderPage() {
    const blog = title.value.trim() || "Your blog";
    const day = formatInZone({ day: "numeric", month: "long", year: "numeric" }, language.value);
    refs.heading.textContent = this.greeting;
    refs.sampleInitial.textContent = [...blog][0].toUpperCase();
    refs.sampleTab.textContent = refs.sampleName.textContent = blog;
    refs.samplePage.lang = language.value;
    refs.sampleByline.textContent = `${day} · ${name.value.trim()}`;
    return refs.main;
  }
}

const page = definePage(Welcome);
form.addEventListener("input", () => page.requestUpdate());
form.addEventListener("submit", (event) => {
  event.preventDefault();
  page.saveAnswers(/** @type {HTMLButtonElement} */ (event.submitter ?? refs.mainButton).value);
});
url.addEventListener("focus", () => {
  place.value = "own";
  page.requestUpdate();
});
