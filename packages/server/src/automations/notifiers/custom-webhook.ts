import { InvalidBlockError, type Notifier, objectField, optionalText, requireText } from './notifier.ts'

const PLACEHOLDER = /\{\{\s*([\w.-]+)\s*\}\}/g
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A configurable webhook. `{{subject}}`, `{{body}}`, `{{name}}` and the secrets of the block are replaced in all of its fields. */
export const customWebhook: Notifier = (data, { subject, body }) => {
  const values = new Map<string, unknown>([
    ...Object.entries(objectField(data, 'secrets')),
    ['subject', subject],
    ['body', body],
    ['name', optionalText(data, 'name') ?? ''],
  ])
  const method = optionalText(data, 'method') ?? 'POST'
  if (!methods.includes(method)) throw new InvalidBlockError(`Unsupported HTTP method ${method}. Use one of ${methods.join(', ')}.`)
  const url = new URL(String(fillPlaceholders(requireText(data, 'url'), values)))
  for (const [name, value] of filledEntries(data, 'params', values)) url.searchParams.append(name, value)
  const cookies = filledEntries(data, 'cookies', values).map(([name, value]) => `${name}=${value}`)
  const content = buildContent(data, values)
  return [
    {
      method,
      url: url.href,
      headers: {
        ...content.headers,
        ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
        ...Object.fromEntries(filledEntries(data, 'headers', values).map(([name, value]) => [name.toLowerCase(), value])),
      },
      ...(content.body === undefined ? {} : { body: content.body }),
      timeoutSeconds: typeof data.timeout === 'number' && data.timeout > 0 ? Math.min(data.timeout, 60) : 10,
    },
  ]
}

function buildContent(data: Parameters<Notifier>[0], values: ReadonlyMap<string, unknown>): { headers: Record<string, string>; body?: string } {
  const { json_data: json, form_data: form } = data
  if (json != null && form != null) throw new InvalidBlockError('Block has both form data and JSON data. Remove one of them.')
  if (json != null) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fillPlaceholders(json, values)) }
  if (typeof form === 'string') return { headers: {}, body: String(fillPlaceholders(form, values)) }
  if (form == null) return { headers: {} }
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(filledEntries(data, 'form_data', values)).toString(),
  }
}

const filledEntries = (data: Parameters<Notifier>[0], field: string, values: ReadonlyMap<string, unknown>): [string, string][] =>
  Object.entries(objectField(data, field)).map(([name, value]) => [name, String(fillPlaceholders(value, values))])

/** A text that is a single placeholder becomes its value, of any type. */
function fillPlaceholders(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') {
    const single = /^\{\{\s*([\w.-]+)\s*\}\}$/.exec(value)
    if (single) return placeholderValue(single[1] as string, values)
    return value.replace(PLACEHOLDER, (_match, name: string) => String(placeholderValue(name, values)))
  }
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fillPlaceholders(inner, values)]))
}

function placeholderValue(name: string, values: ReadonlyMap<string, unknown>): unknown {
  if (values.has(name)) return values.get(name)
  throw new InvalidBlockError(`Unknown placeholder {{${name}}}. Use subject, body, name or a secret of the block.`)
}
