import { sendOutbound } from '../../lib/outbound-http.ts'
import { ActionFailed, type ActionKind } from '../action-context.ts'
import { type BlockTarget, loadBlock } from '../load-block.ts'
import { allNotifiers } from '../notifiers/all-notifiers.ts'
import { InvalidBlockError, type NotificationText } from '../notifiers/notifier.ts'
import { renderTexts } from '../render-texts.ts'

/** Tells people something by way of a notification block. */
export const sendNotification: ActionKind<'send-notification'> = {
  type: 'send-notification',
  outbound: true,
  async prepare(actionContext) {
    const target = await loadBlock(actionContext.context, actionContext.action.block_document_id)
    const { block, related } = target
    if (!block.capabilities.includes('notify')) throw new ActionFailed('The block is no notification block')
    const [subject = '', body = ''] = await renderTexts(actionContext, [actionContext.action.subject, actionContext.action.body], {
      related,
      details: {},
    })
    const allowPrivate = actionContext.context.config.automations.webhook_allow_private_urls && block.data.allow_private_urls !== false
    for (const request of requestsOf(target, { subject, body })) await send(request, allowPrivate, related)
    return async () => ({ related, details: {} })
  },
}

function requestsOf({ block, related }: BlockTarget, notification: NotificationText) {
  const notifier = allNotifiers.get(block.block_type_slug)
  if (!notifier) throw new ActionFailed(`This server cannot send notifications by blocks of the type "${block.block_type_slug}"`, { related })
  try {
    return notifier(block.data, notification)
  } catch (error) {
    throw new ActionFailed(error instanceof InvalidBlockError ? error.message : 'The notification block is not valid', { related })
  }
}

async function send(request: Parameters<typeof sendOutbound>[0], allowPrivate: boolean, related: BlockTarget['related']): Promise<void> {
  const failed = (log: string): ActionFailed =>
    new ActionFailed('The notification could not be sent', { related, details: { notification_log: log } })
  const answer = await sendOutbound(request, { allowPrivate }).catch((error: unknown) => {
    throw failed(error instanceof Error ? error.message : String(error))
  })
  if (answer.status >= 300) throw failed(`The service answered with ${answer.status}: ${answer.body.slice(0, 500)}`)
}
