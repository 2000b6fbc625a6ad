/** HTML allowed in untrusted Markdown. Without `style`, `id`, `name` and `class`, which could imitate parts of the page. */
export const allowedTags = [
  ...['a', 'abbr', 'b', 'blockquote', 'br', 'code', 'dd', 'del', 'details', 'div', 'dl', 'dt', 'em', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'img', 'ins'],
  ...['kbd', 'li', 'mark', 'ol', 'p', 'pre', 's', 'samp', 'small', 'span', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th'],
  ...['thead', 'tr', 'u', 'ul'],
]
export const allowedAttributes = ['align', 'alt', 'colspan', 'height', 'href', 'open', 'rowspan', 'src', 'start', 'title', 'width']

/**
 * Matches a comment, a tag, text up to the next `<`, or a lone `<`. Linear: no character fits two alternatives, and a tag that does not end before
 * the next `<` is a piece too, so that nothing is ever matched again from a later start.
 */
const tokenPattern = /<!--[\s\S]*?(?:-->|$)|<\/?[a-zA-Z](?:"[^"]*"|'[^']*'|[^"'<>])*>?|[^<]+|</g
/** Has no end, because a search for one would start again for each length of the name. */
const tagStart = /^<(\/?)([a-zA-Z][a-zA-Z0-9]*)/
const attribute = /([a-zA-Z-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?/g

const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/**
 * Keeps allowed tags with allowed attributes and escapes every other tag. DOMPurify runs afterwards and has the final say. It would suffice, but it
 * parses its input, and the browser then reports a CSP violation for each `style`.
 */
export const rewriteHtml = (html: string): string =>
  (html.match(tokenPattern) ?? []).map((piece) => (piece.startsWith('<') ? rewriteTag(piece) : piece)).join('')

function rewriteTag(piece: string): string {
  if (piece.startsWith('<!--')) return ''
  const [start = '', slash, name = ''] = tagStart.exec(piece) ?? []
  if (!piece.endsWith('>') || !allowedTags.includes(name.toLowerCase())) return escapeHtml(piece)
  if (slash) return `</${name.toLowerCase()}>`
  const kept = [...piece.slice(start.length, -1).matchAll(attribute)].flatMap(([, key = '', value]) => {
    if (!allowedAttributes.includes(key.toLowerCase())) return []
    return value === undefined ? [` ${key}`] : [` ${key}="${stripQuotes(value).replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`]
  })
  return `<${name.toLowerCase()}${kept.join('')}>`
}

const stripQuotes = (value: string): string => (/^["']/.test(value) ? value.slice(1, -1) : value)
