import { expect, test } from 'vitest'
import type { OpenPage } from './browser.ts'
import { eventually } from './eventually.ts'
import type { OpenSeededServer } from './open-server.ts'
import { openSeededTestServer } from './test-server.ts'
import { withPage } from './with-page.ts'

const long = { timeout: 120_000 }
let open: OpenSeededServer
let page: OpenPage
withPage(openSeededTestServer, (opened, first) => {
  open = opened
  page = first
})

const parameter = (name: string) => new URL(page.url()).searchParams.getAll(name)
const field = (name: string) => page.getByRole('textbox', { name, exact: true })

/** Text fields that write to the URL, one per kind: the search box of a list, the search box of a tab, and the search of the graph. */
const fields: readonly (readonly [path: (seed: OpenSeededServer['seed']) => string, label: string, key: string])[] = [
  [() => '/runs', 'Filter by name', 'name'],
  [({ runningRun }) => `/runs/flow-run/${runningRun}?tab=tasks`, 'Filter by name', 'name'],
  [({ runningRun }) => `/runs/flow-run/${runningRun}?tab=graph`, 'Find task', 'find'],
]

/** Types the next letter while the URL receives the previous one, before React renders it. */
const typeOn = (label: string, letters: string) => `(() => {
  const field = document.querySelector(${JSON.stringify(`[aria-label="${label}"]`)})
  const letters = ${JSON.stringify([...letters])}
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
  const type = () => {
    const letter = letters.shift()
    if (letter === undefined) return navigation.removeEventListener('navigate', type)
    write.call(field, field.value + letter)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  navigation.addEventListener('navigate', type)
  type()
})()`

test.each(fields.map(([path, label, key]) => ({ path, label, key, at: path({ runningRun: 'ID' } as OpenSeededServer['seed']) })))(
  'keeps every letter while URL and server are slow: $label at $at',
  long,
  async ({ path, label, key }) => {
    await page.goto(path(open.seed))
    await field(label).waitFor()
    await page.route('**/api/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 350))
      await route.continue().catch(() => {})
    })
    await page.evaluate(typeOn(label, 'heron'))
    await eventually(() => parameter(key)).toEqual(['heron'])
    expect(await field(label).inputValue()).toBe('heron')
    await field(label).press('End')
    await field(label).pressSequentially(' wren', { delay: 160 })
    await eventually(() => parameter(key)).toEqual(['heron wren'])
    expect(await field(label).inputValue()).toBe('heron wren')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  },
)

test('shows a value that changes elsewhere', long, async () => {
  await page.goto('/runs?name=heron')
  await eventually(() => field('Filter by name').inputValue()).toBe('heron')
  await field('Filter by name').fill('wren')
  await eventually(() => parameter('name')).toEqual(['wren'])
  await page.getByRole('button', { name: 'Remove filter Name' }).click()
  await eventually(() => field('Filter by name').inputValue()).toBe('')
  await eventually(() => parameter('name')).toEqual([])
})

test('keeps both filters that are set at once', long, async () => {
  await page.goto('/runs')
  await page.getByRole('button', { name: 'State', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Failed' }).waitFor()
  // In one task, before React renders again.
  await page.evaluate(`for (const box of [...document.querySelectorAll('[role=dialog] [type=checkbox]')].slice(0, 4)) box.click()`)
  await eventually(() => parameter('state')).toEqual(['Running', 'Failed', 'Crashed', 'Late'])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /^Tag/ }).click()
  for (const tag of ['prod', 'crm']) {
    await field('Tag').fill(tag)
    await page.keyboard.press('Enter')
  }
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('heron')
  await eventually(() => [...parameter('tag'), ...parameter('name'), ...parameter('state')]).toEqual([
    'prod',
    'crm',
    'heron',
    'Running',
    'Failed',
    'Crashed',
    'Late',
  ])
})

test('moves focus by a shortcut while a popover closes', long, async () => {
  await page.goto('/runs')
  for (const text of ['wren', 'plover', 'falcon']) {
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await field('Tag').waitFor()
    // The debugger protocol sends all keys without a pause.
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
    await eventually(() => field('Filter by name').inputValue()).toBe(text)
    await eventually(() => parameter('name')).toEqual([text])
  }
})

test('stays on the next page when text was typed just before a link', long, async () => {
  await page.goto('/runs')
  await field('Filter by name').pressSequentially('heron')
  // The next page still loads when the typing pause ends.
  await page.route('**/assets/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 900))
    await route.continue().catch(() => {})
  })
  await page.getByRole('link', { name: 'Variables', exact: true }).click()
  await page.getByRole('cell', { name: 'batch_size', exact: true }).waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  expect(new URL(page.url()).pathname).toBe('/variables')
})
