import createDomPurify from 'dompurify'
import { Marked } from 'marked'
import { useMemo } from 'react'
import { allowedAttributes, allowedTags, rewriteHtml } from './rewrite-html.ts'
import { isSafeImageUrl, isSafeLinkUrl } from './safe-url.ts'

const markdownClasses = [
  'max-w-3xl min-w-0',
  '[&>*+*]:mt-3 [&_li+li]:mt-0.5 [&>:first-child]:mt-0!',
  '[&_h3]:mt-5 [&_h3]:font-semibold [&_h3]:text-lg [&_h4]:mt-4 [&_h4]:font-semibold [&_h5]:mt-3 [&_h5]:font-semibold [&_h6]:font-semibold [&_h6]:text-soft',
  '[&_ul]:list-disc [&_ul]:pl-5 [&_ol]:list-decimal [&_ol]:pl-5',
  '[&_code]:rounded-sm [&_code]:bg-sunken [&_code]:px-1 [&_code]:font-mono [&_code]:text-sm',
  '[&_pre]:overflow-x-auto [&_pre]:rounded-md [&_pre]:border [&_pre]:border-line [&_pre]:bg-sunken [&_pre]:px-3 [&_pre]:py-2 [&_pre_code]:bg-transparent [&_pre_code]:p-0',
  '[&_blockquote]:border-line [&_blockquote]:border-l-3 [&_blockquote]:pl-3 [&_blockquote]:text-soft',
  '[&_table]:block [&_table]:overflow-x-auto [&_td]:border-line [&_td]:border-b [&_td]:px-2 [&_td]:py-1 [&_th]:border-line [&_th]:border-b [&_th]:px-2 [&_th]:py-1 [&_th]:text-left',
  '[&_a]:text-accent [&_a]:underline [&_a]:underline-offset-3 [&_img]:max-w-full [&_hr]:border-line [&_summary]:font-medium',
].join(' ')

/** Lazy-loaded by `Markdown`. */
export function MarkdownBody({ text }: { readonly text: string }) {
  const html = useMemo(() => markdownToHtml(text), [text])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the sanitiser produced it, and the CSP blocks foreign scripts
  return <div className={markdownClasses} dangerouslySetInnerHTML={{ __html: html }} />
}

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

const markdownToHtml = (text: string): string =>
  purify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: allowedAttributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  })
