// Shows the API reference with Scalar, and keeps the API key in the session storage of the tab.

const STORED_KEY = "blogapi-key";
const TAGS_FIRST = ["articles", "categories", "tags"];

// The languages for which there is no sample, and the libraries of the other languages without a sample.
const HIDDEN_LANGUAGES =
  "c clojure csharp dart fsharp go http java julia kotlin node objc ocaml php powershell r ruby rust swift";
const HIDDEN_CLIENTS = {
  shell: ["httpie", "wget"],
  js: ["axios", "jquery", "ofetch", "xhr"],
  python: ["aiohttp", "httpx_async", "httpx_sync", "python3"],
};

const keyInput = document.getElementById("key");
const keyMessage = document.getElementById("key-message");
keyInput.value = sessionStorage.getItem(STORED_KEY) ?? "";

const reference = Scalar.createApiReference("#reference", await makeConfiguration());

document.getElementById("get-key").addEventListener("click", getKey);
keyInput.addEventListener("change", () => useKey(keyInput.value.trim()));

async function makeConfiguration() {
  const response = await fetch("/openapi.json");
  return {
    content: adaptDocument(await response.json()),
    authentication: makeAuthentication(keyInput.value),
    tagsSorter: (first, second) => rankTag(first) - rankTag(second),
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    hiddenClients: {
      ...Object.fromEntries(HIDDEN_LANGUAGES.split(" ").map((language) => [language, true])),
      ...HIDDEN_CLIENTS,
    },
    documentDownloadType: "direct",
    orderSchemaPropertiesBy: "preserve",
    hideModels: true,
    defaultOpenAllTags: true,
    // The other pages follow the browser's color scheme too, and have no switch.
    hideDarkModeToggle: true,
    // The page uses no server other than this one.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: "never",
    // Scalar would keep the key in the local storage, which all tabs share and which never expires.
    persistAuth: false,
  };
}

// Creates a key that can read published content, as `POST /api/v1/auth/api-key/` documents it.
async function getKey() {
  const response = await fetch("/api/v1/auth/api-key/", { method: "POST" });
  const body = await response.json();
  keyMessage.textContent = response.ok ? "The key is kept until you close this tab." : body.detail;
  if (response.ok) useKey(body.public_state);
}

function useKey(key) {
  sessionStorage.setItem(STORED_KEY, key);
  keyInput.value = key;
  reference.updateConfiguration({ ...reference.getConfiguration(), authentication: makeAuthentication(key) });
}

function makeAuthentication(key) {
  return { preferredSecurityScheme: "key", securitySchemes: { key: { value: key } } };
}

function rankTag(tag) {
  const position = TAGS_FIRST.indexOf(tag.name);
  return position < 0 ? TAGS_FIRST.length : position;
}

function adaptDocument(openapi) {
  for (const tag of openapi.tags) {
    tag["x-displayName"] = makeTitle(tag.name);
    if (tag.description === tag["x-displayName"]) delete tag.description;
  }
  for (const path of Object.values(openapi.paths)) {
    for (const operation of Object.values(path)) {
      // Scalar shows summaries as plain text.
      if (operation.summary) operation.summary = operation.summary.replaceAll("`", "").replace(/\.$/, "");
      for (const parameter of operation.parameters ?? []) describeValues(parameter);
    }
  }
  // The parameters that several operations have.
  for (const parameter of Object.values(openapi.components.parameters)) describeValues(parameter);
  return openapi;
}

// Scalar fills examples and the first of several values into its form, also if the parameter is optional, and
// sends them. Therefore this function moves them into the description.
function describeValues(parameter) {
  const { schema } = parameter;
  if (parameter.required || !schema) return;
  const format = (values) =>
    [values]
      .flat()
      .map((value) => `\`${value}\``)
      .join(", ");
  const sentences = [parameter.description];
  if (schema.enum) sentences.push(`One of ${format(schema.enum)}.`);
  if (schema.example !== undefined) sentences.push(`Example: ${format(schema.example)}`);
  parameter.description = sentences.filter(Boolean).join(" ");
  delete schema.enum;
  delete schema.example;
}

function makeTitle(name) {
  const words = name.replaceAll("_", " ").replace(/api\b/, "API");
  return words[0].toUpperCase() + words.slice(1);
}
