import { expect, test } from 'vitest'
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

const toast = (text: string | RegExp) => page.getByRole('region', { name: 'Notifications' }).getByText(text)
const idInAddress = (): string => /block\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? ''
const withSecrets = (id: string) => open.call('GET', `/block_documents/${id}?include_secrets=true`)

async function newBlock(slug: string, name: string, data: object): Promise<string> {
  const { id: block_type_id } = await open.call('GET', `/block_types/slug/${slug}`)
  const [schema] = await open.call('POST', '/block_schemas/filter', { block_schemas: { block_type_id: { any_: [block_type_id] } } })
  return (await open.call('POST', '/block_documents/', { name, data, block_schema_id: schema.id, block_type_id })).id
}

test('filters the list by name, type and capability', async () => {
  await newBlock('secret', 'listed-secret', { value: 'x' })
  await newBlock('slack-webhook', 'listed-slack', { url: 'https://hooks.example.com' })
  await page.goto('/blocks')
  const row = (name: string) => page.getByRole('table', { name: 'Blocks' }).getByRole('row').filter({ hasText: name })
  await row('listed-secret').waitFor()
  await page.getByRole('button', { name: 'Capability', exact: true }).click()
  await page.getByRole('checkbox', { name: 'notify' }).check()
  await page.waitForURL('**/blocks?capability=notify')
  await row('listed-secret').waitFor({ state: 'detached' })
  await row('listed-slack').waitFor()
  await page.goto('/blocks?type=secret')
  await row('listed-secret').waitFor()
  await eventually(() => row('listed-slack').count()).toBe(0)
  await page.goto('/blocks')
  await page.getByRole('textbox', { name: 'Filter by name' }).fill('listed-sl')
  await page.waitForURL('**/blocks?name=listed-sl')
  await row('listed-secret').waitFor({ state: 'detached' })
  await eventually(() => row('listed-slack').count()).toBe(1)
})

test('links from the block types to a type, its fields and a form', async () => {
  await page.goto('/blocks/catalog')
  await page.getByRole('textbox', { name: 'Filter by name' }).fill('s3')
  await page.waitForURL('**/blocks/catalog?name=s3')
  await page
    .getByRole('list', { name: 'Block types' })
    .getByRole('link', { name: /S3 Bucket/ })
    .click()
  await page.waitForURL('**/blocks/catalog/s3-bucket')
  await page.getByRole('table', { name: 'Fields' }).getByText('block: minio-credentials or aws-credentials').waitFor()
  await page.getByRole('link', { name: 'Create' }).click()
  await page.waitForURL('**/blocks/catalog/s3-bucket/create')
  await page.getByRole('textbox', { name: 'Bucket Name' }).waitFor()
})

test('creates a block with a form from its schema and requires missing fields', async () => {
  await page.goto('/blocks/catalog/slack-webhook/create')
  await page.getByRole('textbox', { name: /^Name/ }).fill('made-here')
  await page.getByRole('button', { name: 'Save' }).click()
  const url = page.getByLabel('Webhook URL')
  await page.locator('form [id$="-error"]').first().waitFor()
  await url.fill('https://hooks.example.com/made')
  await page.getByRole('combobox', { name: 'Notify Type' }).selectOption('failure')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/blocks\/block\/[0-9a-f-]{36}$/)
  await page.getByText('Block.load("slack-webhook/made-here")').waitFor()
  const block = await withSecrets(idInAddress())
  expect(block).toMatchObject({
    name: 'made-here',
    data: { url: 'https://hooks.example.com/made', notify_type: 'failure', allow_private_urls: true },
  })
})

test('never shows secrets and keeps them unless a new one is entered', async () => {
  const id = await newBlock('slack-webhook', 'secretive', { url: 'https://hooks.example.com/hidden', notify_type: 'info' })
  const seen: string[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/block_'))
      void response.text().then(
        (text) => seen.push(text),
        () => {},
      )
  })
  await page.goto(`/blocks/block/${id}`)
  await page.getByText('Hidden secret').waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  const url = page.getByLabel('Webhook URL')
  await url.waitFor()
  await eventually(() => url.inputValue()).toBe('')
  await eventually(() => url.getAttribute('type')).toBe('password')
  await page.getByRole('combobox', { name: 'Notify Type' }).selectOption('warning')
  await page.getByRole('button', { name: 'Save' }).click()
  await toast('Saved secretive').waitFor()
  expect((await withSecrets(id)).data).toMatchObject({ url: 'https://hooks.example.com/hidden', notify_type: 'warning' })

  await page.goto(`/blocks/block/${id}/edit`)
  await url.fill('https://hooks.example.com/new')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(`**/blocks/block/${id}`)
  expect((await withSecrets(id)).data.url).toBe('https://hooks.example.com/new')
  await eventually(() => seen.length).toBeGreaterThan(2)
  expect(seen.join('')).not.toContain('hooks.example.com')
})

test('selects and clears a nested block', async () => {
  const credentials = await newBlock('aws-credentials', 'cloud-account', { aws_access_key_id: 'AK', aws_secret_access_key: 'hush' })
  await page.goto('/blocks/catalog/s3-bucket/create')
  await page.getByRole('textbox', { name: /^Name/ }).fill('with-credentials')
  await page.getByRole('textbox', { name: 'Bucket Name' }).fill('orders')
  await page.getByRole('button', { name: /^Credentials:/ }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /cloud-account/ })
    .click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL(/\/blocks\/block\/[0-9a-f-]{36}$/)
  const id = idInAddress()
  expect((await open.call('GET', `/block_documents/${id}`)).block_document_references).toMatchObject({
    credentials: { block_document: { id: credentials } },
  })
  await page.getByRole('link', { name: 'cloud-account' }).waitFor()
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Credentials: cloud-account' }).waitFor()
  await page.getByRole('button', { name: 'Clear' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await toast('Saved with-credentials').waitFor()
  expect(await open.call('GET', `/block_documents/${id}`)).toMatchObject({ block_document_references: {}, data: { bucket_name: 'orders' } })
})

test('deletes a block after confirmation', async () => {
  const id = await newBlock('secret', 'leave-me', { value: 'x' })
  await page.goto(`/blocks/block/${id}`)
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete leave-me?' })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await open.call('GET', `/block_documents/${id}`)).name).toBe('leave-me')
  await page.getByRole('button', { name: 'Delete…' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.waitForURL(/\/blocks$/)
  await toast('Deleted leave-me').waitFor()
  await expect(open.call('GET', `/block_documents/${id}`)).rejects.toThrow('404')
})
