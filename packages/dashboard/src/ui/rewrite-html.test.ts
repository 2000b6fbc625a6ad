import { expect, test } from 'vitest'
import { rewriteHtml } from './rewrite-html.ts'

test.each([
  ['<b>bold</b>', '<b>bold</b>'],
  ['<B CLASS="x" onclick=alert(1)>bold</B>', '<b>bold</b>'],
  ['<img src="https://example.com/a.png" width=40 style="x" onerror=alert(1)>', '<img src="https://example.com/a.png" width="40">'],
  ['<img alt=\'say "hi"\'>', '<img alt="say &quot;hi&quot;">'],
  ['<br/><hr />', '<br><hr>'],
  ['<details open><summary>More</summary>x</details>', '<details open><summary>More</summary>x</details>'],
  ['<table border="1" class="dataframe"><tr><td colspan=2>1</td></tr></table>', '<table><tr><td colspan="2">1</td></tr></table>'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['<style>b{}</style>', '&lt;style&gt;b{}&lt;/style&gt;'],
  ['<svg/onload=alert(1)>', '&lt;svg/onload=alert(1)&gt;'],
  ['a<!-- gone -->b<!-- and this', 'ab'],
  ['1 < 2', '1 &lt; 2'],
  ['<a title=">" style="x" href="https://example.com">y</a>', '<a title=">" href="https://example.com">y</a>'],
  ['<h1>big</h1>', '&lt;h1&gt;big&lt;/h1&gt;'],
])('%s', (html, rewritten) => expect(rewriteHtml(html)).toBe(rewritten))

test.each([
  ['text after a tag that never ends', 'a <b c <i>d</i>', 'a &lt;b c <i>d</i>'],
  ['a quote that never ends', "<b you're <i>x</i>", "&lt;b you're <i>x</i>"],
  ['a tag in a tag', '<div\n<a href="x">y</a>', '&lt;div\n<a href="x">y</a>'],
])('shows %s', (_title, html, rewritten) => expect(rewriteHtml(html)).toBe(rewritten))

/** Was cubic: 1.6 KB of the first took 10.8 s. The limit is far above what a linear pass takes on a busy machine. */
test.each([
  ['tags in a tag', '<div\n', '<a'],
  ['open tags', '', '<a '],
  ['closing tags', '', '</a'],
  ['open quotes', '<div\n', '<a b="'],
  ['open quotes of both kinds', '<div\n', `<a b="<a c='`],
  ['quotes that overlap', '<div\n', 'b="<a " '],
  ['a long name', '<', 'a'],
  ['blanks before =', '<a b', ' '],
  ['blanks after =', '<a b=', ' '],
  ['attributes', '<a ', 'href=x '],
  ['attributes in quotes', '<a ', `"href='`],
  ['slashes', '<a ', '/'],
  ['lone <', '', '<'],
  ['comments', '<div>', '<!--'],
])('takes linear time for 100 KB of %s', (_title, start, repeated) => {
  const html = start + repeated.repeat(Math.ceil(100_000 / repeated.length))
  const started = performance.now()
  for (const end of ['', '>', '<', '"', '">']) rewriteHtml(html + end)
  expect(performance.now() - started).toBeLessThan(5000)
})
