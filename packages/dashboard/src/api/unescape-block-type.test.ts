import { expect, test } from 'vitest'
import { unescapeBlockType } from './unescape-block-type.ts'

const type = { id: '1', created: '', updated: '', name: 'n', slug: 's', logo_url: null, documentation_url: null, is_protected: false }

test.each([
  ['a &lt;b&gt; &amp; c', 'a <b> & c'],
  ['escaped twice: &amp;lt;', 'escaped twice: &lt;'],
  ['"quoted" & <not escaped>', '"quoted" & <not escaped>'],
  [null, null],
])('%s is shown as %s', (stored, shown) => {
  expect(unescapeBlockType({ ...type, description: stored, code_example: stored })).toMatchObject({ description: shown, code_example: shown })
})
