import { type OutboundResponse, sendOutbound } from '../../lib/outbound-http.ts'
import { ActionFailed, type ActionKind, type ActionResult } from '../action-context.ts'
import { loadBlock } from '../load-block.ts'
import { renderTexts } from '../render-templates.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const bodyCharactersMax = 1000

/** Response headers that are secret or describe the network path. They are left out of the event. */
const hiddenHeaders = /^(authorization|set-cookie|traceparent|via|x-forwarded|x-b3|x-cloud-trace|x-envoy|x-prefect)/

/** Calls the URL of a webhook block. The event reports the response, whatever its status; only a failed connection is a failure. */
export const callWebhook: ActionKind<'call-webhook'> = {
  type: 'call-webhook',
  async prepare(actionContext) {
    const { block, related } = await loadBlock(actionContext.context, actionContext.action.block_document_id)
    const { data } = block
    if (block.block_type_slug !== 'webhook') throw new ActionFailed('Block is not a webhook block.')
    const method = typeof data.method === 'string' ? data.method : 'POST'
    if (typeof data.url !== 'string' || !methods.includes(method))
      throw new ActionFailed(`Invalid webhook block: "url" must be text and "method" one of ${methods.join(', ')}.`, { related })
    const [body = ''] = await renderTexts(actionContext, [actionContext.action.payload], { related, details: {} })
    const allowPrivate = actionContext.context.config.automations.webhook_allow_private_urls && data.allow_private_urls !== false
    const request = { method, url: data.url, headers: toHeaders(data.headers), body, verify: data.verify !== false }
    try {
      const result = toResult(related, await sendOutbound(request, { allowPrivate }))
      return async () => result
    } catch (error) {
      throw new ActionFailed(`The webhook could not be called: ${error instanceof Error ? error.message : String(error)}`, { related })
    }
  },
}

const toHeaders = (headers: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries((headers ?? {}) as object).map(([name, value]) => [name, String(value)]))

/** Keeps the beginning and the end of a long body. */
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
