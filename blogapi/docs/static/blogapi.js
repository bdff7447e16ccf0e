/**
 * A client for front ends: it reads lists, items, previews and the changes feed of a blog that runs blogapi.
 *
 * Copy this file into your project. It needs no other package, and runs in browsers and in Node.js 18 or newer:
 *
 *     const blog = createClient({ url: "https://api.blog.example", key: "blogapi_…" });
 *     for await (const { title, url } of blog.articles.list({ fields: ["title", "url"] })) console.log(title, url);
 */

const RETRIED_STATUSES = [429, 502, 503, 504];
const MAX_WAIT_SECONDS = 60;
const PAGE_SIZE = 100;
// If more articles have changed, `sync` reads all of them again, which needs fewer requests.
const MAX_SINGLE_REQUESTS = 100;

/** An error. `code` is stable, `errors` lists the messages for each parameter, and the message says what to do. */
export class BlogApiError extends Error {
  /** @param {Partial<Problem>} problem @param {ErrorOptions} [options] */
  constructor({ status = 0, code, errors = {}, detail }, options) {
    super(detail, options);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}
/** 400: a parameter is unknown or invalid, or the cursor is unknown. */
export class InvalidRequest extends BlogApiError {}
/** 401: the key is missing, wrong, deleted or expired. */
export class Unauthorized extends BlogApiError {}
/** 403: the key does not allow the request. */
export class Forbidden extends BlogApiError {}
/** 404: the item does not exist, or is not published. */
export class NotFound extends BlogApiError {}
/** 429: too many requests, also after the last retry. */
export class RateLimited extends BlogApiError {}
/** 502, 503 or 504, also after the last retry; or no response, for example without a network (status 0). */
export class Unavailable extends BlogApiError {}

/** @type {Record<number, typeof BlogApiError>} */
const ERROR_CLASSES = {
  ...{ 400: InvalidRequest, 401: Unauthorized, 403: Forbidden, 404: NotFound, 429: RateLimited },
  ...{ 502: Unavailable, 503: Unavailable, 504: Unavailable },
};

/** @param {Response} response */
async function makeError(response) {
  const { status } = response;
  // The error of a proxy is not JSON.
  const detail = `${response.url} answered ${status} ${response.statusText}`;
  const problem = await response.json().catch(() => ({}));
  return new (ERROR_CLASSES[status] ?? BlogApiError)({ detail, ...problem, status });
}

/**
 * The items of one kind. Listed and Single: an item of a list and a single item, without `fields`; ListedFields and
 * SingleFields: the same with all fields; Filters: the filters of the list.
 * @template Listed, ListedFields, Single, SingleFields, Filters
 */
class Collection {
  /** @param {Client} client @param {string} name */
  constructor(client, name) {
    this.client = client;
    this.name = name;
    this.path = `/api/v1/blog/${name}/`;
  }

  /**
   * Yield all items, 100 per request. If the blog changes meanwhile, an item can be missed or come twice: compare
   * `changes(cursor)` afterwards, or use `sync`.
   * @template {FieldName<ListedFields>} [F="*"]
   * @param {Filters & { fields?: F[] }} [options]
   * @returns {AsyncGenerator<Selected<Listed, ListedFields, F>, void, void>}
   */
  async *list(options) {
    for (let page = 1, hasNext = true; hasNext; page++) {
      /** @type {any} */
      const read = await this.page(page, /** @type {any} */ ({ ...options, pageSize: PAGE_SIZE }));
      yield* read.items;
      hasNext = read.hasNext;
    }
  }

  /**
   * Return all items; see `list`.
   * @template {FieldName<ListedFields>} [F="*"]
   * @param {Filters & { fields?: F[] }} [options]
   * @returns {Promise<Selected<Listed, ListedFields, F>[]>}
   */
  async all(options) {
    const items = [];
    for await (const item of this.list(options)) items.push(item);
    return items;
  }

  /**
   * Return a page of the list: its items, the number of items on all pages, and whether there is a next page.
   * @template {FieldName<ListedFields>} [F="*"]
   * @param {number} page
   * @param {Filters & { fields?: F[], pageSize?: number }} [options]
   * @returns {Promise<{ items: Selected<Listed, ListedFields, F>[], total: number, hasNext: boolean }>}
   */
  async page(page, options) {
    const { pageSize = 10, ...others } = options ?? {};
    const { body, total, link } = await this.client.requestBody(this.path, { page, page_size: pageSize, ...others });
    return { items: body, total: Number(total), hasNext: link.includes('rel="next"') };
  }

  /**
   * Return an item by its uuid or slug. A former slug leads to the item too, so compare `slug` to redirect readers.
   * @template {FieldName<SingleFields>} [F="*"]
   * @param {string} id
   * @param {{ fields?: F[] }} [options]
   * @returns {Promise<Selected<Single, SingleFields, F>>}
   */
  async get(id, options) {
    return this.client.request(`${this.path}${encodeURIComponent(id)}/`, options);
  }

  /**
   * Bring a store of the items up to date, and return the next cursor. The store is a Map by uuid, or has its methods
   * `set`, `delete` and `keys`; it is changed after the last request. If only articles have changed, `articles` reads
   * only these articles. Otherwise everything is read again, because items contain data of other items.
   * @template {FieldName<ListedFields>} [F="*"]
   * @param {Store<Selected<Listed, ListedFields, F | "uuid">>} store
   * @param {string} [cursor]
   * @param {{ fields?: F[] }} [options]
   * @returns {Promise<string>}
   */
  async sync(store, cursor, options) {
    const fields = options?.fields && [...new Set([...options.fields, "uuid"])];
    const feed = cursor ? await this.client.changes(cursor).catch(ignoreUnknownCursor) : undefined;
    const isSmall = feed && this.name === "articles" && feed.changes.length <= MAX_SINGLE_REQUESTS;
    const isPart = isSmall && feed.changes.every(({ kind }) => kind === "article");
    const all = isPart || feed?.changes.length === 0 ? undefined : await this.readAllItems(store, fields);
    const items = all?.items ?? (await this.readChangedItems(feed?.changes ?? [], fields));
    for (const [uuid, item] of items) await (item ? store.set(uuid, item) : store.delete(uuid));
    return all?.cursor ?? feed?.cursor ?? "";
  }

  /**
   * Return the changed items by uuid; undefined for items that are gone.
   * @param {Change[]} changes @param {any[]} [fields]
   */
  async readChangedItems(changes, fields) {
    /** @type {Map<string, any>} */
    const items = new Map();
    for (const { uuid, action } of changes) {
      items.set(uuid, action === "fetch" ? await this.get(uuid, { fields }).catch(ignoreMissing) : undefined);
    }
    return items;
  }

  /**
   * Return all items by uuid, undefined for items that are gone, and the cursor for the next changes.
   * @param {Store<any>} store @param {any[]} [fields]
   */
  async readAllItems(store, fields) {
    for (;;) {
      const { cursor } = await this.client.changes("now");
      /** @type {Map<string, any>} */
      const items = new Map(Array.from(store.keys(), (uuid) => [uuid, undefined]));
      const listed = this.list(/** @type {any} */ ({ fields }));
      for await (const item of /** @type {AsyncIterable<any>} */ (listed)) items.set(item.uuid, item);
      // A change during these requests can move an item to a page that was already read.
      if ((await this.client.changes(cursor)).changes.length === 0) return { items, cursor };
    }
  }

  /**
   * Return a loader of a content collection of Astro, which follows the blog with `sync`. If the fields are not those
   * of the last build, everything is read again. All loaders of a client write after the last of them has read: while
   * Astro saves, a later write can be lost.
   * @template {FieldName<ListedFields>} [F="*"]
   * @param {{ fields?: F[] }} [options]
   */
  loader(options) {
    const fields = String(options?.fields);
    /** @param {{ store: any, meta: any, generateDigest: any }} context */
    const load = async ({ store, meta, generateDigest }) => {
      /** @type {(() => void)[]} */
      const writes = [];
      const items = {
        keys: () => store.keys(),
        set: (/** @type {string} */ id, /** @type {any} */ data) =>
          writes.push(() => store.set({ id, data, digest: generateDigest(data) })),
        delete: (/** @type {string} */ id) => writes.push(() => store.delete(id)),
      };
      const cursor = meta.get("fields") === fields ? meta.get("cursor") : undefined;
      const next = await this.client.waitForOtherReads(this.sync(items, cursor, options));
      for (const write of writes) write();
      meta.set("cursor", next);
      meta.set("fields", fields);
    };
    return { name: `blogapi-${this.name}`, load };
  }
}

class Client {
  /** @param {Options} options */
  constructor({ url, key, cache, fetch = (...request) => globalThis.fetch(...request), retries = 4 }) {
    this.url = url.replace(/\/+$/, "");
    /** @type {Record<string, string>} */
    this.headers = key ? { "X-API-KEY": key } : {};
    this.cache = cache;
    this.fetch = fetch;
    this.retries = retries;
    /** @type {Set<Promise<string>>} */
    this.reads = new Set();
    /** @type {Collection<Article, ListedArticleFields, Article, ArticleFields, ArticleFilters>} */
    this.articles = new Collection(this, "articles");
    /** @type {Collection<Page, PageFields, Page, PageFields, PageFilters>} */
    this.pages = new Collection(this, "pages");
    /** @type {Collection<Category, CategoryFields, SingleCategory, SingleCategoryFields, CategoryFilters>} */
    this.categories = new Collection(this, "categories");
    /** @type {Collection<Tag, TagFields, SingleTag, SingleTagFields, TagFilters>} */
    this.tags = new Collection(this, "tags");
    /** @type {Collection<Author, AuthorFields, SingleAuthor, SingleAuthorFields, AuthorFilters>} */
    this.authors = new Collection(this, "authors");
    /** @type {Pick<Collection<Redirect, RedirectFields, never, never, RedirectFilters>, "list" | "all" | "page">} */
    this.redirects = new Collection(this, "redirects");
  }

  /**
   * Wait until all promises that were passed to this method are settled; return the result of this promise.
   * @param {Promise<string>} read
   */
  async waitForOtherReads(read) {
    this.reads.add(read);
    const cursor = await read.finally(() => this.reads.delete(read));
    while (this.reads.size) await Promise.allSettled(this.reads);
    return cursor;
  }

  /**
   * Return the title of the blog, its addresses and its navigation.
   * @returns {Promise<Site>}
   */
  site() {
    return this.request("/api/v1/blog/site/");
  }

  /**
   * Return the article of a preview link, in any status and with its waiting edits. It needs no key.
   * @template {FieldName<ArticleFields>} [F="*"]
   * @param {string} token
   * @param {{ fields?: F[] }} [options]
   * @returns {Promise<Selected<Article, ArticleFields, F>>}
   */
  preview(token, options) {
    return this.request(`/api/v1/blog/preview/${encodeURIComponent(token)}/`, options);
  }

  /**
   * Return all changes after a cursor, and the next cursor to store. Start with `0` (all items) or `now`.
   * @param {string} [cursor]
   * @returns {Promise<{ changes: Change[], cursor: string }>}
   */
  async changes(cursor = "0") {
    const changes = [];
    /** @type {ChangeList} */
    let page;
    do {
      page = await this.request("/api/v1/blog/changes/", { since: cursor });
      changes.push(...page.changes);
      cursor = page.cursor;
    } while (page.more);
    return { changes, cursor };
  }

  /**
   * Bring a store of articles up to date, and return the next cursor: `articles.sync`.
   * @template {FieldName<ListedArticleFields>} [F="*"]
   * @param {Store<Selected<Article, ListedArticleFields, F | "uuid">>} store
   * @param {string} [cursor]
   * @param {{ fields?: F[] }} [options]
   */
  sync(store, cursor, options) {
    return this.articles.sync(store, cursor, options);
  }

  /**
   * Return the JSON value or the text at any path of the service, such as `/sitemap.xml`.
   * @param {string} path
   * @param {Record<string, any>} [parameters]
   * @returns {Promise<any>}
   */
  async request(path, parameters) {
    return (await this.requestBody(path, parameters)).body;
  }

  /** @param {string} path @param {Record<string, any>} [parameters] */
  async requestBody(path, { fields, ...parameters } = {}) {
    const query = new URLSearchParams(fields && { fields: fields.join() });
    for (const [name, value] of Object.entries(parameters)) {
      for (const each of [value].flat()) if (each !== undefined) query.append(name, each);
    }
    const stored = await this.readStored(`${this.url}${path}?${query}`.replace(/\?$/, ""));
    return { ...stored, body: stored.isJson ? JSON.parse(stored.text) : stored.text };
  }

  /** @param {string} address @returns {Promise<Stored>} */
  async readStored(address) {
    let stored = await this.cache?.get(address);
    const response = await this.sendWithRetries(address, stored && { "If-None-Match": stored.etag });
    const header = (/** @type {string} */ name) => response.headers.get(name) ?? "";
    if (response.status !== 304 || !stored) {
      if (!response.ok) throw await makeError(response);
      const isJson = header("Content-Type").startsWith("application/json");
      const headers = { etag: header("ETag"), link: header("Link"), total: header("X-Total-Count") };
      stored = { ...headers, isJson, text: await response.text() };
    }
    await this.cache?.set(address, stored);
    return stored;
  }

  /** @param {string} address @param {Record<string, string>} [headers] */
  async sendWithRetries(address, headers) {
    for (let attempt = 1; ; attempt++) {
      const response = await this.fetch(address, { headers: { ...this.headers, ...headers } }).catch((cause) => {
        throw new Unavailable({ detail: `${address} cannot be reached: ${cause.message}` }, { cause });
      });
      const wait = Number(response.headers.get("Retry-After") ?? attempt) || 1;
      if (!RETRIED_STATUSES.includes(response.status) || attempt > this.retries || wait > MAX_WAIT_SECONDS)
        return response;
      await new Promise((resolve) => setTimeout(resolve, 1000 * wait));
    }
  }
}

/**
 * Return a client of the blog at `url`.
 * @param {Options} options
 */
export function createClient(options) {
  return new Client(options);
}

/**
 * Call this function on the preview page: it tells blogapi's editor that the page is shown beside the text, and loads
 * the page again after each save. Outside of the editor, this function does nothing.
 */
export function connectPreview() {
  if (window.parent === window) return;
  window.addEventListener("message", ({ source, data }) => {
    if (source === window.parent && data === "blogapi-saved") location.reload();
  });
  // The message contains nothing secret, and the page does not know the address of the editor.
  window.parent.postMessage("blogapi-preview", "*");
}

/** @param {unknown} error */
function ignoreUnknownCursor(error) {
  if (!(error instanceof BlogApiError && error.code === "cursor_unknown")) throw error;
}

/** @param {unknown} error */
function ignoreMissing(error) {
  if (!(error instanceof NotFound)) throw error;
}

/**
 * `cache` is a Map, or an object with its methods `get` and `set`; it keeps responses by their address, so that an
 * unchanged response is not sent again. `fetch` is called instead of the global function, and `retries` is how often a
 * request to a busy server is repeated.
 * @typedef {{ url: string, key?: string, cache?: Cache, fetch?: typeof globalThis.fetch, retries?: number }} Options
 * @typedef {{ etag: string, link: string, total: string, isJson: boolean, text: string }} Stored
 * @typedef {{ get(address: string): Promised<Stored | undefined>, set(address: string, stored: Stored): any }} Cache
 */
/** @template T @typedef {T | Promise<T>} Promised */
/**
 * @template T
 * @typedef {{ set(uuid: string, article: T): any, delete(uuid: string): any, keys(): Iterable<string> }} Store
 */
/** @typedef {string | number | boolean | (string | number | boolean)[]} CustomFilter */
/**
 * A field, `*` for the fields of a response without `fields`, or a field to leave out, such as `-content` after `*`.
 * @template All
 * @typedef {(keyof All & string) | "*" | `-${keyof All & string}`} FieldName
 */
/** @template F @typedef {F extends `-${infer Name}` ? Name : never} LeftOut */
/**
 * The fields that `F` names.
 * @template Default, All, F
 * @typedef {Pick<All, Exclude<(F & keyof All) | ("*" extends F ? keyof Default & keyof All : never), LeftOut<F>>>}
 *   Selected
 */
/**
 * Lists refuse the fields `previous`, `next` and `related`.
 * @typedef {Omit<ArticleFields, "previous" | "next" | "related">} ListedArticleFields
 */

// The types of the API. `python -m tests.contracts.openapi` derives them from the OpenAPI document.
/**
 * @typedef {{ uuid: string, author: string, title: string, subtitle: string, tags: Tag[], slug: string, cover_image:
 *   string, content: string, status: Status, content_type: ContentType, seo: Seo, category: EmbeddedCategory }} Article
 * @typedef {Article & { created: string, last_updated: string, published_at: string | null, excerpt: string,
 *   reading_minutes: number, word_count: number, html: string, cover: Cover | null, url?: string, head: Head,
 *   translations: Translation[], authors: EmbeddedAuthor[], toc: Heading[], editor: UserReference | null, key_name:
 *   string | null, working_copy: WorkingCopySummary | null, custom?: Record<string, unknown>, custom_unfit:
 *   Record<string, unknown> | null, open_by: UserReference[] | null, featured: boolean, robots: Robots, language:
 *   string, translation_key: string, links?: Links, snippet: string, previous: ArticleLink | null, next: ArticleLink |
 *   null, related: ArticleLink[] }} ArticleFields
 * @typedef {{ uuid: string, author: string, title: string, subtitle: string, tags: Tag[], slug: string, cover_image:
 *   string, content: string, status: Status, content_type: ContentType, seo: Seo, parent: string | null, position:
 *   number }} Page
 * @typedef {Page & { created: string, last_updated: string, published_at: string | null, excerpt: string,
 *   reading_minutes: number, word_count: number, html: string, cover: Cover | null, url?: string, head: Head,
 *   translations: Translation[], authors: EmbeddedAuthor[], toc: Heading[], editor: UserReference | null, key_name:
 *   string | null, working_copy: WorkingCopySummary | null, custom?: Record<string, unknown>, custom_unfit:
 *   Record<string, unknown> | null, open_by: UserReference[] | null, featured: boolean, robots: Robots, language:
 *   string, translation_key: string, links?: PageLinks }} PageFields
 * @typedef {{ uuid: string, name: string, description: string | null, cover_image: string, slug: string }} Category
 * @typedef {Category & { seo_title: string, seo_description: string, og_image: string, canonical_url: string, language:
 *   string, head: Head, articles_count: number, articles_by_status: Record<string, number>, user: string, created:
 *   string, last_updated: string, url?: string, parent: string | null }} CategoryFields
 * @typedef {{ uuid: string, name: string, description: string | null, cover_image: string, slug: string, articles:
 *   Article[] }} SingleCategory
 * @typedef {SingleCategory & { seo_title: string, seo_description: string, og_image: string, canonical_url: string,
 *   language: string, head: Head, articles_count: number, articles_by_status: Record<string, number>, user: string,
 *   created: string, last_updated: string, url?: string, parent: string | null }} SingleCategoryFields
 * @typedef {{ uuid: string, created: string, last_updated: string, name: string, slug: string, user: string }} Tag
 * @typedef {Tag & { seo_title: string, seo_description: string, og_image: string, canonical_url: string, language:
 *   string, head: Head, articles_count: number, articles_by_status: Record<string, number>, cover_image: string, url?:
 *   string, description: string }} TagFields
 * @typedef {{ uuid: string, name: string, articles: Article[] }} SingleTag
 * @typedef {SingleTag & { seo_title: string, seo_description: string, og_image: string, canonical_url: string,
 *   language: string, head: Head, articles_count: number, articles_by_status: Record<string, number>, created: string,
 *   last_updated: string, slug: string, user: string, cover_image: string, url?: string, description: string }}
 *   SingleTagFields
 * @typedef {{ uuid: string, name: string, slug: string, bio: string, url: string, avatar: string, user: string | null
 *   }} Author
 * @typedef {Author & { seo_title: string, seo_description: string, og_image: string, canonical_url: string, language:
 *   string, head: Head, articles_count: number, articles_by_status: Record<string, number>, cover_image: string,
 *   created: string, last_updated: string, page_url?: string }} AuthorFields
 * @typedef {{ uuid: string, name: string, slug: string, bio: string, url: string, avatar: string, user: string | null,
 *   articles: Article[] }} SingleAuthor
 * @typedef {SingleAuthor & { seo_title: string, seo_description: string, og_image: string, canonical_url: string,
 *   language: string, head: Head, articles_count: number, articles_by_status: Record<string, number>, cover_image:
 *   string, created: string, last_updated: string, page_url?: string }} SingleAuthorFields
 * @typedef {{ kind: "article" | "category" | "tag" | "author" | "page" | "redirect", old: string, new: string, item:
 *   string, article: string | null, created: string }} Redirect
 * @typedef {Redirect & { old_url?: string, new_url?: string, status?: 301 | 302 | 410 }} RedirectFields
 * @typedef {{ uuid: string, title: string, description: string, language: string, time_zone: string, url: string,
 *   service_url: string, logo: string, icon: string, article_path: string, page_path: string, category_path: string,
 *   tag_path: string, author_path: string, preview_url: string, navigation: NavigationItem[], languages:
 *   SiteLanguage[], built_in?: boolean, mcp?: boolean, created: string, last_updated: string, logo_width?: number |
 *   null, logo_height?: number | null, head?: Head }} Site
 * @typedef {{ changes: Change[], cursor: string, more: boolean }} ChangeList
 * @typedef {{ type: string, title: string, status: number, detail: string, code: "admin_exists" | "article_changed" |
 *   "author_in_use" | "backup_running" | "category_in_use" | "checks_running" | "conflict" | "cross_origin" |
 *   "cursor_unknown" | "damaged" | "database" | "deleted" | "forbidden" | "headers_too_large" | "idempotency_mismatch"
 *   | "if_match_required" | "import_ended" | "import_running" | "impossible_transition" | "internal_error" |
 *   "invalid_fields" | "invalid_query" | "key_disabled" | "key_expired" | "key_invalid" | "key_missing" | "last_admin"
 *   | "link_invalid" | "login_failed" | "login_over" | "login_required" | "malformed" | "media_exists" | "media_full" |
 *   "media_in_use" | "method_not_allowed" | "missing" | "name_taken" | "newer_schema" | "not_deleted" | "not_found" |
 *   "not_implemented" | "profile_exists" | "range_not_satisfiable" | "read_only" | "request_timeout" | "scope_missing"
 *   | "second_factor_failed" | "second_factor_missing" | "second_factor_required" | "second_factor_used" |
 *   "slug_reserved" | "slug_taken" | "stale" | "storage_full" | "too_large" | "too_many_backups" | "too_many_requests"
 *   | "unavailable" | "unsupported_media_type" | "upgrading" | "uri_too_long" | "user_in_use", errors?: Record<string,
 *   string[]>, uuid?: string }} Problem
 * @typedef {"draft" | "published" | "unlisted" | "archived" | "scheduled"} Status
 * @typedef {"html" | "markdown" | "text"} ContentType
 * @typedef {{ uuid: string, created: string, last_updated: string, og_image: string, title: string, description:
 *   string, canonical_url: string, article: string }} Seo
 * @typedef {{ url: string, width: number, height: number, alt: string, caption: string, renditions: Rendition[] }}
 *   Cover
 * @typedef {{ title?: string, description?: string, canonical?: string, robots?: string, alternates?: Alternate[],
 *   open_graph?: OpenGraph, twitter?: TwitterCard, json_ld?: Record<string, unknown>, html: string }} Head
 * @typedef {{ language: string, uuid: string, slug: string, url?: string }} Translation
 * @typedef {{ uuid: string, name: string, slug: string, bio: string, url: string, avatar: string, user: string | null,
 *   created: string, last_updated: string }} EmbeddedAuthor
 * @typedef {{ level: number, text: string, id: string }} Heading
 * @typedef {{ uuid: string, username: string }} UserReference
 * @typedef {{ last_updated: string, user: UserReference, key_name: string, title: string }} WorkingCopySummary
 * @typedef {"" | "noindex" | "noindex, nofollow"} Robots
 * @typedef {{ uuid: string, name: string, description: string | null, cover_image: string, slug: string, user: string,
 *   created: string, last_updated: string }} EmbeddedCategory
 * @typedef {{ category: string, tags: string[], authors: string[] }} Links
 * @typedef {{ uuid: string, title: string, slug: string, published_at: string, cover_image: string, cover: Cover |
 *   null, url?: string }} ArticleLink
 * @typedef {{ tags: string[], authors: string[] }} PageLinks
 * @typedef {{ label: string, url: string }} NavigationItem
 * @typedef {{ language: string, title?: string, description?: string }} SiteLanguage
 * @typedef {{ kind: "article" | "author" | "category" | "page" | "site" | "tag", uuid: string, action: "fetch" |
 *   "drop", slug?: string, url?: string }} Change
 * @typedef {{ width: number, height: number, url: string }} Rendition
 * @typedef {{ language?: string, url?: string }} Alternate
 * @typedef {{ "og:type"?: string, "og:title"?: string, "og:description"?: string, "og:url"?: string, "og:image"?:
 *   string, "og:site_name"?: string, "og:locale"?: string, "og:image:width"?: string, "og:image:height"?: string,
 *   "article:published_time"?: string, "article:modified_time"?: string, "article:section"?: string, "article:author"?:
 *   string[], "article:tag"?: string[] }} OpenGraph
 * @typedef {{ "twitter:card"?: string, "twitter:title"?: string, "twitter:description"?: string, "twitter:image"?:
 *   string }} TwitterCard
 * @typedef {{ q?: string, category?: string | string[], exact?: boolean, tag?: string | string[], tags_all?: string |
 *   string[], not_category?: string | string[], not_tag?: string | string[], author?: string, language?: string, uuid?:
 *   string | string[], slug?: string, published_after?: string, published_before?: string, updated_after?: string,
 *   featured?: boolean, translation_key?: string, ordering?: "published_at" | "-published_at" | "title" | "-title" |
 *   "last_updated" | "-last_updated" | "-featured", status?: "draft" | "published" | "unlisted" | "archived" |
 *   "scheduled" | "any", working_copy?: boolean, [name: `custom.${string}`]: CustomFilter }} ArticleFilters
 * @typedef {{ q?: string, tag?: string | string[], tags_all?: string | string[], not_tag?: string | string[], author?:
 *   string, language?: string, uuid?: string | string[], slug?: string, published_after?: string, published_before?:
 *   string, updated_after?: string, featured?: boolean, translation_key?: string, ordering?: "position" | "title" |
 *   "-title" | "published_at" | "-published_at" | "last_updated" | "-last_updated", status?: "draft" | "published" |
 *   "unlisted" | "archived" | "scheduled" | "any", working_copy?: boolean, parent?: string, [name: `custom.${string}`]:
 *   CustomFilter }} PageFilters
 * @typedef {{ q?: string, used?: "never" | "hidden", similar?: boolean, ordering?: "name" | "-articles", slug?: string,
 *   language?: string }} CategoryFilters
 * @typedef {{ q?: string, used?: "never" | "hidden", similar?: boolean, ordering?: "name" | "-articles", slug?: string,
 *   language?: string }} TagFilters
 * @typedef {{ q?: string, used?: "never" | "hidden", similar?: boolean, ordering?: "name" | "-articles", slug?: string,
 *   language?: string }} AuthorFilters
 * @typedef {{ path?: string }} RedirectFilters
 */
