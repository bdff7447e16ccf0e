// The types that several modules of the admin pages share, by name in their JSDoc comments: objects of the API, events,
// the elements of the document, and the interfaces between the parts of the editor. Nothing imports this file.

declare module "turndown";
declare module "turndown-plugin-gfm";

type Json = Record<string, any>;

/** What lit-html renders: templates, elements, texts and arrays of them. */
type Renderable = unknown;

// ---- The document

/** A form whose controls are read by their names. */
type NamedForm = HTMLFormElement & { elements: Record<string, any> };

type FieldEvent = Event & { target: HTMLInputElement; currentTarget: HTMLElement };
type ButtonEvent = Event & { target: HTMLElement; currentTarget: HTMLElement };
type FieldKeyEvent = KeyboardEvent & { target: HTMLInputElement; currentTarget: HTMLElement };

/** A function that closes a dialog or a popover; the value becomes the `result` of the overlay. */
type Close = (value?: any) => void;
/** An open dialog or popover; result: the value with which it is closed. */
interface Overlay {
  element: HTMLElement;
  result: Promise<any>;
  close: Close;
  update(): void;
}

interface MenuItem {
  label: string;
  icon?: string;
  href?: string;
  target?: string;
  risk?: boolean;
  /** Called with the button of the menu. */
  action?: (anchor: HTMLElement) => unknown;
}
/** The items of a menu; items that are false or empty are left out. */
type MenuItems = (MenuItem | false | null | undefined | "")[];

/** The elements with a `data-ref` in the templates. Each document has the elements of its own page and of the frame. */
interface Refs {
  // The frame of all pages (page.html, again.html).
  again: HTMLDialogElement;
  againForm: NamedForm;
  againName: HTMLElement;
  againProblem: HTMLElement;
  failures: HTMLElement;
  missing: HTMLElement;
  sideTitle: HTMLElement;
  silent: HTMLElement;
  technical: HTMLElement;
  tryNow: HTMLButtonElement;
  wait: HTMLElement;

  // Names that several pages use.
  empty: HTMLElement;
  form: NamedForm;
  heading: HTMLElement;
  help: HTMLElement;
  main: HTMLElement;
  newButton: HTMLElement;
  problem: HTMLElement;
  readingSheet: HTMLElement;
  tabs: HTMLElement;

  // A value that is shown once (once.html).
  once: HTMLElement;
  onceCopy: HTMLElement;
  onceFoot: HTMLElement;
  onceHelp: HTMLElement;
  onceHide: HTMLButtonElement;
  onceTitle: HTMLElement;
  onceValue: HTMLInputElement;

  // The editor (editor.html); the lines above the text have the names of their fields.
  bar: HTMLElement;
  closeDetails: HTMLButtonElement;
  details: HTMLElement;
  discardKept: HTMLButtonElement;
  editor: HTMLElement;
  findRow: HTMLElement;
  gone: HTMLElement;
  goneCopy: HTMLElement;
  goneKept: HTMLElement;
  goneReason: HTMLElement;
  hideRest: HTMLButtonElement;
  inDesign: HTMLButtonElement;
  inTab: HTMLAnchorElement;
  kept: HTMLElement;
  keptTime: HTMLElement;
  keptTitle: HTMLElement;
  minutes: HTMLElement;
  notLive: HTMLElement;
  notLiveReasons: HTMLElement;
  phoneStatus: HTMLElement;
  plain: HTMLButtonElement;
  previewState: HTMLElement;
  reading: HTMLElement;
  restore: HTMLButtonElement;
  saveAsNew: HTMLButtonElement;
  showRest: HTMLButtonElement;
  /** Missing, like inDesign, if the site has no preview page. */
  siteFrame?: HTMLElement;
  siteFrameNotice: HTMLElement;
  siteFrameReason: HTMLElement;
  text: HTMLElement;
  toolbar: HTMLElement;
  letters: HTMLButtonElement;
  insert: HTMLButtonElement;
  useKept: HTMLButtonElement;
  wordCount: HTMLElement;
  writing: HTMLElement;
  writingSheet: HTMLElement;

  // Other pages.
  addLanguage: HTMLButtonElement;
  addNavigation: HTMLButtonElement;
  addPage: HTMLElement;
  askEmail: HTMLElement;
  askServer: HTMLElement;
  bylineForm: NamedForm;
  bylineState: HTMLElement;
  codes: HTMLElement;
  codesCopy: HTMLElement;
  codesHide: HTMLButtonElement;
  codesList: HTMLElement;
  compareWith: HTMLSelectElement;
  confirmForm: NamedForm;
  consequence: HTMLElement;
  editLink: HTMLAnchorElement;
  emailForm: NamedForm;
  example: HTMLElement;
  exampleCode: HTMLElement;
  exampleCopy: HTMLElement;
  exampleNumbers: HTMLElement;
  intro: HTMLElement;
  inviteForm: NamedForm;
  languages: HTMLElement;
  linkState: HTMLElement;
  mainButton: HTMLButtonElement;
  navigation: HTMLElement;
  noEmail: HTMLElement;
  content: HTMLElement;
  notServed: HTMLElement;
  passwordForm: NamedForm;
  rememberHelp: HTMLElement;
  roleForm: NamedForm;
  sampleByline: HTMLElement;
  sampleInitial: HTMLElement;
  sampleName: HTMLElement;
  samplePage: HTMLElement;
  sampleSites: HTMLElement;
  sampleTab: HTMLElement;
  samples: HTMLElement;
  sendLink: HTMLButtonElement;
  setUp: HTMLElement;
  setupCancel: HTMLButtonElement;
  setupForm: NamedForm;
  setupImage: HTMLImageElement;
  setupSecret: HTMLElement;
  shown: HTMLElement;
  siteCheck: HTMLElement;
}

// ---- Objects of the API

type Status = "draft" | "scheduled" | "published" | "unlisted" | "archived";

interface Person {
  uuid: string;
  username: string;
}

/** A category, a tag or an author. */
interface Term {
  uuid: string;
  name: string;
  slug: string;
  articles_by_status: Record<string, number>;
  [field: string]: any;
}

interface Seo {
  title: string;
  description: string;
  og_image: string;
  canonical_url: string;
  [field: string]: string;
}

/** An article or a page. */
interface Article {
  uuid: string;
  status: Status;
  title: string;
  content: string;
  slug: string;
  category?: Term;
  tags: Term[];
  authors: Term[];
  seo: Seo;
  custom: Json;
  published_at: string | null;
  created: string;
  last_updated: string;
  url: string | null;
  working_copy?: any;
  [field: string]: any;
}

/** A file of the library. */
interface Media {
  uuid: string;
  name: string;
  type: string;
  url: string;
  alt: string;
  decorative: boolean;
  width: number | null;
  height: number | null;
  size: number;
  renditions: { url: string; width: number }[];
  user: Person | null;
  [field: string]: any;
}

interface Webhook {
  uuid: string;
  name: string;
  preset: string;
  [field: string]: any;
}
/** A kind of receiver of webhooks. */
interface Preset {
  name: string;
  label: string;
  [field: string]: any;
}

// ---- The editor

/** What an author edits: the body of a working copy. A value that the server derives is an empty string. */
interface Edits {
  title: string;
  subtitle: string;
  content: string;
  content_type: string;
  excerpt: string;
  slug: string;
  cover_image: string;
  language: string;
  translation_key: string;
  category: string | null;
  tags: string[];
  authors: string[];
  seo: Seo;
  custom: Json;
  // The server declares the text fields, so that there can be more.
  [field: string]: any;
}

/** An article, its edits, their ETag, and who saved them when. */
interface LoadedArticle {
  article?: any;
  edits: Edits;
  etag?: string | null;
  saved?: string | Date | null;
  user?: Person;
}

/** The page of the editor, with the properties that its parts use. */
type EditorPage = import("../source/editor/article-page.js").ArticlePage & {
  area: import("../source/editor/writing-area.js").WritingArea;
  [field: string]: any;
};

type Terms = Record<"categories" | "tags" | "authors", Term[]>;

interface TextRange {
  from: number;
  to: number;
}
/** A text and what is selected in it. */
interface TextInput extends TextRange {
  text: string;
}
/** A change of a text: what replaces a range, and what is selected then. */
interface Change extends TextRange {
  insert: string;
  selectFrom: number;
  selectTo: number;
}

/** A problem that a check before publishing has found, and its range in the text. */
interface Warning {
  words: string;
  range: TextRange;
}

/** The field for the text: a plain text area or CodeMirror, which has more commands. */
interface TextField {
  getText(): string;
  getSelection(): TextRange;
  applyChange(change: Partial<Change> & { from: number }): void;
  selectRange(from: number, to?: number): void;
  focus(): void;
  destroy(): void;
  search?: any;
  ranges?: any;
  contentDOM?: HTMLElement;
  getOffsetAt?(x: number, y: number): number | null;
  getRectangleAt?(offset: number): { left: number; bottom: number } | null;
}

/** A picture that an author has chosen. */
interface Picture {
  uuid: string;
  url: string;
  alt: string;
  [field: string]: any;
}

/** A picture in a Markdown text. */
interface BlockPicture {
  alt: string;
  address: string;
  caption: string;
  file?: any;
}
/** A part of a Markdown text that the editor shows in rendered form: pictures, or the address of a player. */
interface Block extends TextRange {
  source: string;
  height: number;
  pictures?: BlockPicture[];
  title?: string;
  address?: string;
}
/** The changes that a block can make in its part of the text. */
interface BlockActions {
  replace(insert: string): void;
  remove(): void;
  reveal(): void;
  focusText(): void;
  measure(): void;
}

/** A custom field of the blog. */
interface CustomField {
  name: string;
  label: string;
  help: string;
  type: string;
  list: boolean;
  choices: string[];
  minimum: number | null;
  maximum: number | null;
  required: boolean;
  read_by: string;
}
