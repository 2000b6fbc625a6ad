import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the content security policy of the server forbids, and what would need the internet. */
const rules: readonly (readonly [ending: RegExp, pattern: RegExp, problem: string])[] = [
  [/\.html$/, /<(?:script|link|img|iframe|source|video)\b[^>]*\b(?:src|href|srcset)="(?:https?:)?\/\/[^"]*"/g, 'loads a file of another site'],
  [/\.html$/, /<[a-z][^>]*\sstyle="[^"]*"/g, 'has a style attribute'],
  [/\.html$/, /<style\b/g, 'has a style element'],
  [/\.css$/, /(?:@import|url\()\s*["']?(?:https?:)?\/\/[^)"']*/g, 'loads a file of another site'],
  [/\.js$/, /_vp-fn_/g, 'has an option that the browser would have to evaluate'],
]

/** One line for each problem of the files of a built site. */
export function buildProblems(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return rules.flatMap(([ending, pattern, problem]) =>
    names
      .filter((name) => ending.test(name))
      .flatMap((name) =>
        [...readFileSync(join(folder, name), 'utf8').matchAll(pattern)].map(([found]) => `${name} ${problem}: ${found.slice(0, 200)}`),
      ),
  )
}
