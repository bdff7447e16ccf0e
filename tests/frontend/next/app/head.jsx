const listTags = (tags) =>
  Object.entries(tags).flatMap(([name, values]) => [values ?? []].flat().map((content) => ({ name, content })));

export function Head({ head: { title, description, robots, canonical, alternates = [], ...head } }) {
  return (
    <>
      <title>{title}</title>
      {listTags({ description, robots, ...head.twitter }).map(({ name, content }) => (
        <meta key={name} name={name} content={content} />
      ))}
      {listTags(head.open_graph).map(({ name, content }) => (
        <meta key={name + content} property={name} content={content} />
      ))}
      {canonical && <link rel="canonical" href={canonical} />}
      {alternates.map(({ language, url }) => (
        <link key={language} rel="alternate" hrefLang={language} href={url} />
      ))}
      <script
        type="application/ld+json"
        dangerouslySetInnerHTML={{ __html: JSON.stringify(head.json_ld).replaceAll("<", "\\u003c") }}
      />
    </>
  );
}
