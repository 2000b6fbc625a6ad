import { sendOutbound } from '../../lib/outbound-http.ts'
import { ActionFailed, type ActionKind } from '../action-context.ts'
import { type BlockTarget, loadBlock } from '../load-block.ts'
import { discord, mattermost, slack, teams } from '../notifiers/chat.ts'
import { customWebhook } from '../notifiers/custom-webhook.ts'
import { opsgenie, pagerDuty } from '../notifiers/incident.ts'
import { InvalidBlockError, type NotificationText, type Notifier } from '../notifiers/notifier.ts'
import { sendgrid, twilio } from '../notifiers/sms-email.ts'
import { renderTexts } from '../render-templates.ts'

/** Notifiers by block type slug. */
export const allNotifiers: ReadonlyMap<string, Notifier> = new Map([
  ['slack-webhook', slack],
  ['ms-teams-webhook', teams],
  ['discord-webhook', discord],
  ['mattermost-webhook', mattermost],
  ['pager-duty-webhook', pagerDuty],
  ['opsgenie-webhook', opsgenie],
  ['twilio-sms', twilio],
  ['sendgrid-email', sendgrid],
  ['custom-webhook', customWebhook],
])

export const sendNotification: ActionKind<'send-notification'> = {
  type: 'send-notification',
  async prepare(actionContext) {
    const target = await loadBlock(actionContext.context, actionContext.action.block_document_id)
    const { block, related } = target
    if (!block.capabilities.includes('notify')) throw new ActionFailed('Block does not support notifications.')
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
  if (!notifier) throw new ActionFailed(`Block type "${block.block_type_slug}" is not supported for notifications.`, { related })
  try {
    return notifier(block.data, notification)
  } catch (error) {
    throw new ActionFailed(error instanceof InvalidBlockError ? error.message : 'Invalid notification block.', { related })
  }
}

async function send(request: Parameters<typeof sendOutbound>[0], allowPrivate: boolean, related: BlockTarget['related']): Promise<void> {
  const failed = (log: string): ActionFailed =>
    new ActionFailed('The notification could not be sent', { related, details: { notification_log: log } })
  const response = await sendOutbound(request, { allowPrivate }).catch((error: unknown) => {
    throw failed(error instanceof Error ? error.message : String(error))
  })
  if (response.status >= 300) throw failed(`The service responded with status ${response.status}: ${response.body.slice(0, 500)}`)
}
