import createDomPurify from 'dompurify'
import { Marked } from 'marked'
import { allowedAttributes, allowedTags, rewriteHtml } from './rewrite-html.ts'
import { isSafeImageUrl, isSafeLinkUrl } from './safe-url.ts'

/** The page itself uses the first two heading levels. */
const headingsBelow = 2

const marked = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + headingsBelow)
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    html: ({ text }) => rewriteHtml(text),
  },
})

const purify = createDomPurify(window)
purify.addHook('afterSanitizeAttributes', (element) => {
  if (element.tagName === 'A') {
    if (!isSafeLinkUrl(element.getAttribute('href') ?? '')) element.removeAttribute('href')
    element.setAttribute('target', '_blank')
    element.setAttribute('rel', 'noopener noreferrer')
  }
  if (element.tagName === 'IMG') {
    if (!isSafeImageUrl(element.getAttribute('src') ?? '')) element.remove()
    else element.setAttribute('loading', 'lazy')
  }
})

export const markdownToHtml = (text: string): string =>
  purify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: allowedAttributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
