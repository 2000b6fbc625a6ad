import { type AnsiColour, parseAnsi } from './ansi.ts'
import { classNames } from './classes.ts'

/** Reuses the colours of states, which are readable in both themes. */
const colourVariables: Record<AnsiColour, string> = {
  black: 'var(--soft)',
  red: 'var(--failed)',
  green: 'var(--completed)',
  yellow: 'var(--late)',
  blue: 'var(--running)',
  magenta: 'var(--paused)',
  cyan: 'var(--accent)',
  white: 'var(--ink)',
}

/** Only plain `http` and `https` addresses become links. */
const urlPattern = /(https?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)\]}])/g

/** Log line: ANSI colours mapped to theme colours, addresses as links, everything else as text. */
export function AnsiText({ text }: { readonly text: string }) {
  return parseAnsi(text).map((span, index) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      key={index}
      className={classNames(span.bold && 'font-semibold', span.dim && 'opacity-80', span.italic && 'italic', span.underline && 'underline')}
      style={span.colour && { color: colourVariables[span.colour] }}
    >
      {linkify(span.text)}
    </span>
  ))
}

const linkify = (text: string) =>
  text.split(urlPattern).map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <a key={index} href={piece} target="_blank" rel="noreferrer noopener" className="link">
        {piece}
      </a>
    ) : (
      piece
    ),
  )
