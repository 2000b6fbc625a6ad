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
