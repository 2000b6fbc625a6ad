import createDomPurify from 'dompurify'
import { Marked } from 'marked'
import { isPictureAddress, isWebAddress } from './safe-address.ts'

/** The page has its own first and second headings. */
const headingsBelow = 2

const marked = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + headingsBelow)
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
})

const tags = [
  ...['a', 'abbr', 'b', 'blockquote', 'br', 'code', 'dd', 'del', 'details', 'div', 'dl', 'dt', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i'],
  ...['img', 'ins', 'kbd', 'li', 'mark', 'ol', 'p', 'pre', 's', 'samp', 'small', 'span', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td'],
  ...['tfoot', 'th', 'thead', 'tr', 'u', 'ul'],
]
/** No `style`, which the page's policy would refuse aloud; no `id`, `name` or `class`, by which text could pass for a part of the page. */
const attributes = ['align', 'alt', 'colspan', 'height', 'href', 'open', 'rowspan', 'src', 'start', 'title', 'width']

const purify = createDomPurify(window)
purify.addHook('afterSanitizeAttributes', (element) => {
  if (element.tagName === 'A') {
    if (!isWebAddress(element.getAttribute('href') ?? '')) element.removeAttribute('href')
    element.setAttribute('target', '_blank')
    element.setAttribute('rel', 'noopener noreferrer')
  }
  if (element.tagName === 'IMG') {
    if (!isPictureAddress(element.getAttribute('src') ?? '')) element.remove()
    else element.setAttribute('loading', 'lazy')
  }
})

export const markdownToHtml = (text: string): string =>
  purify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
