import { describe, expect, test } from 'vitest'
import type { OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

let open: OpenSeededServer
let page: OpenPage
withPage(openSeededTestServer, (opened, first) => {
  open = opened
  page = first
})

const keep = (artifact: object): Promise<{ id: string; key: string }> => open.call('POST', '/artifacts/', artifact)
const article = () => page.getByRole('article', { name: 'Artifact' })
const table = () => page.getByRole('table', { name: 'Artifacts' })
const tables = [
  ['rows', '[{"city":"Oslo","rain":1.23456789},{"city":"Rome","rain":null}]'],
  ['columns', { city: ['Oslo', 'Rome'], rain: [1.234_567_89, null] }],
] as const
const pixel = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('the artifact list', () => {
  test('lists each key once and keeps key and type filters in the URL', async () => {
    await keep({ key: 'weekly-sums', type: 'table', data: '[]' })
    await keep({ key: 'weekly-sums', type: 'table', data: '[{"a":1}]' })
    await keep({ key: 'weekly-notes', type: 'markdown', data: 'hello' })
    await page.goto('/artifacts')
    await table().getByRole('link', { name: 'weekly-sums' }).waitFor()
    await eventually(() => table().getByRole('link', { name: 'weekly-sums' }).count()).toBe(1)
    await page.getByRole('textbox', { name: 'Filter by key' }).fill('weekly')
    await page.waitForURL('**/artifacts?find=weekly')
    await eventually(() => table().getByRole('link').count()).toBe(2)
    await page.getByRole('combobox', { name: 'Type' }).selectOption('Markdown')
    await page.waitForURL('**/artifacts?find=weekly&type=markdown')
    await eventually(() => table().getByRole('link').allInnerTexts()).toEqual(['weekly-notes'])
    const found = await open.call('POST', '/artifacts/latest/filter', {
      artifacts: { key: { like_: 'weekly' }, type: { any_: ['markdown'] } },
    })
    expect(found.map(({ key }: { key: string }) => key)).toEqual(['weekly-notes'])
    await page.getByRole('textbox', { name: 'Filter by key' }).fill('nobody-has-this')
    await page.getByText('No results').waitFor()
  })

  test('pages through many keys', async () => {
    for (let index = 0; index < 60; index++) await keep({ key: `paged-${index}`, type: 'progress', data: index })
    await page.goto('/artifacts?find=paged-')
    await page.getByText('60 keys').waitFor()
    await eventually(() => table().getByRole('link').count()).toBe(50)
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL('**page=2')
    await eventually(() => table().getByRole('link').count()).toBe(10)
  })
})

describe('an artifact', () => {
  test('shows the latest version of a key and links to the older ones', async () => {
    const first = await keep({ key: 'report', type: 'markdown', data: 'the **first**', flow_run_id: open.seed.runningRun })
    await keep({ key: 'report', type: 'markdown', data: 'the *second*', description: 'What was loaded' })
    await page.goto('/artifacts')
    await table().getByRole('link', { name: 'report', exact: true }).click()
    await page.waitForURL('**/artifacts/key/report')
    await article().getByText('second').waitFor()
    await article().getByText('What was loaded').waitFor()
    const versions = page.getByRole('region', { name: 'Versions' })
    await eventually(() => versions.getByRole('listitem').count()).toBe(2)
    await versions.getByRole('listitem').nth(1).getByRole('link').first().click()
    await page.waitForURL(`**/artifacts/key/report?version=${first.id}`)
    await article().getByText('first').waitFor()
    await article().getByRole('link').last().click()
    await page.waitForURL(`**/runs/flow-run/${open.seed.runningRun}`)
  })

  test('deletes a version after confirmation', async () => {
    await keep({ key: 'to-go', type: 'markdown', data: 'older' })
    const newer = await keep({ key: 'to-go', type: 'markdown', data: 'newer' })
    await page.goto('/artifacts/key/to-go')
    await article().getByText('newer').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete to-go?' }).getByRole('button', { name: 'Cancel' }).click()
    expect((await open.call('GET', `/artifacts/${newer.id}`)).id).toBe(newer.id)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await article().getByText('older').waitFor()
    await expect(open.call('GET', `/artifacts/${newer.id}`)).rejects.toThrow('404')
    expect((await open.call('GET', '/artifacts/to-go/latest')).data).toBe('older')
  })

  test('opens an artifact without a key by its ID', async () => {
    const { id } = await keep({ type: 'markdown', data: 'nameless', flow_run_id: open.seed.runningRun })
    await page.goto(`/artifacts/artifact/${id}`)
    await article().getByText('nameless').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(`**/runs/flow-run/${open.seed.runningRun}?tab=artifacts`)
    await expect(open.call('GET', `/artifacts/${id}`)).rejects.toThrow('404')
  })

  test('sanitizes markdown', async () => {
    const data = [
      '# Loaded\n\n| table | rows |\n|---|---|\n| orders | 7 |\n\n- [x] done\n\n[safe](https://example.com/a) [unsafe](javascript:document.title=1)',
      `![dot](${pixel}) ![no](javascript:1)\n\n<b onclick="document.title=1" style="color:red" id="root">bold</b><script>document.title = 'hacked'</script>`,
      '<iframe src="https://example.com"></iframe><form action="/"><input name="a"></form><details><summary>More</summary>inside</details>',
    ].join('\n\n')
    await keep({ key: 'notes', type: 'markdown', data })
    await page.goto('/artifacts/key/notes')
    await article().getByRole('heading', { name: 'Loaded', level: 3 }).waitFor()
    await article().getByRole('cell', { name: 'orders' }).waitFor()
    const safe = article().getByRole('link', { name: 'safe', exact: true })
    expect([await safe.getAttribute('href'), await safe.getAttribute('rel')]).toEqual(['https://example.com/a', 'noopener noreferrer'])
    await eventually(() => article().locator('a', { hasText: 'unsafe' }).getAttribute('href')).toBeNull()
    await eventually(() => article().locator('img').count()).toBe(1)
    await eventually(() => article().locator('script, iframe, form, input, [onclick], [style], [id]').count()).toBe(0)
    await eventually(() => page.locator('h1').count()).toBe(1)
    await eventually(() => page.title()).toBe('notes · Millrace')
  })

  test.each(tables)('shows a table of %s', async (name, data) => {
    await keep({ key: `table-of-${name}`, type: 'table', data })
    await page.goto(`/artifacts/key/table-of-${name}`)
    const region = page.getByRole('region', { name: 'Table' })
    await region.getByRole('columnheader', { name: 'rain' }).waitFor()
    await eventually(() => region.getByRole('cell').allInnerTexts()).toEqual(['Oslo', '1.23456789', 'Rome', ''])
  })

  test('shows an image', async () => {
    await keep({ key: 'dot', type: 'image', data: pixel, description: 'A dot' })
    await page.goto('/artifacts/key/dot')
    const image = article().getByRole('img', { name: 'A dot' })
    await image.waitFor()
    await eventually(() => image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth)).toBe(1)
  })

  test('shows progress and updates it', async () => {
    const { id } = await keep({ key: 'so-far', type: 'progress', data: 40 })
    await page.goto('/artifacts/key/so-far')
    const bar = article().getByRole('progressbar', { name: 'so-far' })
    await eventually(() => bar.getAttribute('aria-valuenow')).toBe('40')
    await open.call('PATCH', `/artifacts/${id}`, { data: 75.5 })
    await article().getByText('75.5 %').waitFor()
  })

  test('links to web addresses only', async () => {
    await keep({ key: 'wiki', type: 'link', data: '[The wiki](https://wiki.example.com/x)' })
    await page.goto('/artifacts/key/wiki')
    const link = article().getByRole('link', { name: 'The wiki' })
    expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual(['https://wiki.example.com/x', 'noopener noreferrer'])
    await keep({ key: 'trap', type: 'link', data: '[Press me](javascript:document.title=1)' })
    await page.goto('/artifacts/key/trap')
    await article().getByText('Press me').waitFor()
    await eventually(() => article().getByRole('link').count()).toBe(0)
  })

  test('shows data of an unknown type as JSON', async () => {
    await keep({ key: 'odd', type: 'from-the-future', data: { answer: 42 } })
    await page.goto('/artifacts/key/odd')
    await page.getByRole('region', { name: 'Data' }).getByText('42').waitFor()
  })

  test('reports an unknown key', async () => {
    await page.goto('/artifacts/key/never-was')
    await page.getByText('No artifact with this key').waitFor()
  })
})

test.each(['constructor', '__proto__', 'toString', 'valueOf'])('shows the data of an artifact of type %s', async (type) => {
  const { id } = await keep({ key: 'odd', type, data: { shown: 'anyway' } })
  await page.goto(`/artifacts/artifact/${id}`)
  await page.getByText('anyway').first().waitFor()
})
