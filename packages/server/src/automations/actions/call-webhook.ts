import { type OutboundResponse, sendOutbound } from '../../lib/outbound-http.ts'
import { ActionFailed, type ActionKind, type ActionResult } from '../action-context.ts'
import { loadBlock } from '../load-block.ts'
import { renderTexts } from '../render-texts.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const bodyCharactersMax = 1000

/** Headers that say more of the way there than of the answer, or must not be repeated. */
const hiddenHeaders = /^(authorization|set-cookie|traceparent|via|x-forwarded|x-b3|x-cloud-trace|x-envoy|x-prefect)/

/** Calls the address of a webhook block. What the other side answers is told, whatever it is; only that it cannot be reached is a failure. */
export const callWebhook: ActionKind<'call-webhook'> = {
  type: 'call-webhook',
  outbound: true,
  async prepare(actionContext) {
    const { block, related } = await loadBlock(actionContext.context, actionContext.action.block_document_id)
    const { data } = block
    if (block.block_type_slug !== 'webhook') throw new ActionFailed('The block is no webhook')
    const method = typeof data.method === 'string' ? data.method : 'POST'
    if (typeof data.url !== 'string' || !methods.includes(method)) throw new ActionFailed('The webhook block is not valid', { related })
    const [body = ''] = await renderTexts(actionContext, [actionContext.action.payload], { related, details: {} })
    const allowPrivate = actionContext.context.config.automations.webhook_allow_private_urls && data.allow_private_urls !== false
    const request = { method, url: data.url, headers: toHeaders(data.headers), body, verify: data.verify !== false }
    try {
      const done = toResult(related, await sendOutbound(request, { allowPrivate }))
      return async () => done
    } catch (error) {
      throw new ActionFailed(`The webhook could not be called: ${error instanceof Error ? error.message : String(error)}`, { related })
    }
  },
}

const toHeaders = (headers: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries((headers ?? {}) as object).map(([name, value]) => [name, String(value)]))

/** Its beginning and its end: what went wrong stands in either. */
function shorten(body: string): string {
  const half = bodyCharactersMax / 2
  const short = `${body.slice(0, half)}...${body.length - bodyCharactersMax} additional characters...${body.slice(-half)}`
  return body.length > bodyCharactersMax && short.length < body.length ? short : body
}

const toResult = (related: ActionResult['related'], { status, headers, body }: OutboundResponse): ActionResult => ({
  related,
  details: {
    status_code: status,
    response_body: shorten(body),
    response_headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !hiddenHeaders.test(name))),
  },
})
