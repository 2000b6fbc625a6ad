import { discord, mattermost, slack, teams } from './chat.ts'
import { customWebhook } from './custom-webhook.ts'
import { opsgenie, pagerDuty } from './incident.ts'
import type { Notifier } from './notifier.ts'
import { sendgrid, twilio } from './sms-email.ts'

/** How each type of block tells people something, by the slug of the type. */
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
