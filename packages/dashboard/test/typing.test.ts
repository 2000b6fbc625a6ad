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

/** Fields whose text goes into the address, one of each kind: where it is, what it is called, and the key of its text. */
const fields: readonly (readonly [path: (seed: OpenSeededServer['seed']) => string, label: string, key: string])[] = [
  [() => '/runs', 'Filter by name', 'name'],
  [() => '/concurrency-limits', 'Filter by name', 'name'],
  [() => '/automations', 'Filter by tag', 'tag'],
  [() => '/events', 'Words in the events', 'text'],
  [() => '/artifacts', 'Part of the key', 'find'],
  [() => '/settings', 'Narrow the settings', 'setting'],
  [({ runningRun }) => `/runs/flow-run/${runningRun}`, 'Words in the logs', 'text'],
  [({ runningRun }) => `/runs/flow-run/${runningRun}?tab=tasks`, 'Filter by name', 'name'],
  [({ runningRun }) => `/runs/flow-run/${runningRun}?tab=graph`, 'Find task', 'find'],
]

/** Types the next letter in the very moment in which the address is given the last: before the page knows of it. */
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
  'no letter is lost while the address and the server are slow: $label at $at',
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

test('what comes from elsewhere is taken over', long, async () => {
  await page.goto('/runs?name=heron')
  await eventually(() => field('Filter by name').inputValue()).toBe('heron')
  await field('Filter by name').fill('wren')
  await eventually(() => parameter('name')).toEqual(['wren'])
  await page.getByRole('button', { name: 'Remove the filter Name' }).click()
  await eventually(() => field('Filter by name').inputValue()).toBe('')
  await eventually(() => parameter('name')).toEqual([])
})

test('two filters chosen at once are both in the address', long, async () => {
  await page.goto('/runs')
  await page.getByRole('button', { name: 'State', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Failed' }).waitFor()
  // In one turn, before the page is drawn anew.
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

test('a key pressed as something closes leads where it says, and so do the letters after it', long, async () => {
  await page.goto('/runs')
  for (const text of ['wren', 'plover', 'falcon']) {
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await field('Tag').waitFor()
    // By the debugger all keys arrive in one go.
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
    await eventually(() => field('Filter by name').inputValue()).toBe(text)
    await eventually(() => parameter('name')).toEqual([text])
  }
})

test('what was typed just before a link is followed does not lead back', long, async () => {
  await page.goto('/runs')
  await field('Filter by name').pressSequentially('heron')
  // The next page is still to be loaded when the typing has paused.
  await page.route('**/assets/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 900))
    await route.continue().catch(() => {})
  })
  await page.getByRole('link', { name: 'Variables', exact: true }).click()
  await page.getByRole('cell', { name: 'batch_size', exact: true }).waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  expect(new URL(page.url()).pathname).toBe('/variables')
})
