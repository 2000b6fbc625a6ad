import { systemBlock } from './define-block.ts'
import { choice, either, flag, integer, map, number, orNull, required, secret, secretMap, text, textList, textMap } from './fields.ts'

const capabilities = ['notify']
const severity = choice('The severity of the notification.', ['info', 'success', 'warning', 'failure'], { title: 'Notify Type', default: 'info' })
const privateUrls = flag('Allow URLs in private networks.', { default: true })
const region = choice('The region of the account.', ['us', 'eu'], { default: 'us' })
const withImage = (fallback: boolean) => flag('Show the severity as an image.', { default: fallback })
const webhookUrl = (description: string) => required(secret(description, { title: 'Webhook URL' }))

const slackWebhook = systemBlock({
  slug: 'slack-webhook',
  name: 'Slack Webhook',
  title: 'SlackWebhook',
  description: 'Writes notifications to a Slack channel.',
  checksum: '415bae7e5906d98e387f8848ccdfd3f3b9cdf01624f08ca228709e1193ac005f',
  capabilities,
  fields: { notify_type: severity, url: webhookUrl('The incoming webhook of the channel.'), allow_private_urls: privateUrls },
})

const teamsWebhook = systemBlock({
  slug: 'ms-teams-webhook',
  name: 'Microsoft Teams Webhook',
  title: 'MicrosoftTeamsWebhook',
  description: 'Writes notifications to a Microsoft Teams channel through a Power Automate workflow.',
  checksum: '213ff858fcad8ecddb90a120636c5461fc8ad6fb2877188c9e79f07e6c390c7c',
  capabilities,
  fields: {
    notify_type: severity,
    url: webhookUrl('The URL of the workflow that posts to the channel.'),
    allow_private_urls: privateUrls,
    include_image: withImage(true),
    wrap: flag('Wrap long lines.', { default: true }),
  },
})

const pagerDutyWebhook = systemBlock({
  slug: 'pager-duty-webhook',
  name: 'Pager Duty Webhook',
  title: 'PagerDutyWebHook',
  description: 'Opens incidents at PagerDuty.',
  checksum: '78ccfd9313655493e834f59f515865f3160bd395b6003d6e664fefd1a6f49c86',
  capabilities,
  fields: {
    notify_type: severity,
    integration_key: required(secret('The routing key of an Events API V2 integration.')),
    api_key: required(secret('The API key for the integration.', { title: 'API Key' })),
    source: orNull(text('The source of the incident.', { default: 'Prefect' })),
    component: text('The affected component.', { default: 'Notification' }),
    group: orNull(text('The group of the component.')),
    class_id: orNull(text('The class of the event.', { title: 'Class ID' })),
    region_name: region,
    clickable_url: orNull(text('A link in the incident.', { title: 'Clickable URL', format: 'uri', minLength: 1 })),
    include_image: withImage(true),
    custom_details: orNull(textMap('Additional details, by name.')),
  },
})

const twilioSms = systemBlock({
  slug: 'twilio-sms',
  name: 'Twilio SMS',
  title: 'TwilioSMS',
  description: 'Sends notifications as text messages through Twilio.',
  checksum: '2ab73fedd20ff1c25ffcc47f5b4a7a86c70c307321af1262f9d03defba5c8cc6',
  capabilities,
  fields: {
    notify_type: severity,
    account_sid: required(text('The SID of the account.')),
    auth_token: required(secret('The token of the account.')),
    from_phone_number: required(text('The number of the sender.', { examples: ['18005550100'] })),
    to_phone_numbers: required(textList('The numbers of the recipients.')),
  },
})

const opsgenieWebhook = systemBlock({
  slug: 'opsgenie-webhook',
  name: 'Opsgenie Webhook',
  title: 'OpsgenieWebhook',
  description: 'Raises alerts at Opsgenie.',
  checksum: 'c9d307a75b69d82460134069d071804fefde0ec2c2b9aed67c90201fee041755',
  capabilities,
  fields: {
    notify_type: severity,
    apikey: required(secret('The API key of the account.', { title: 'API Key' })),
    target_user: orNull(textList('Users to alert.')),
    target_team: orNull(textList('Teams to alert.')),
    target_schedule: orNull(textList('Schedules to alert.')),
    target_escalation: orNull(textList('Escalations to alert.')),
    region_name: region,
    batch: flag('Alert all targets in one request.', { default: false }),
    tags: orNull(textList('Tags for the alert.')),
    priority: orNull(integer('The priority, from 1 (low) to 5 (emergency).', { default: 3 })),
    alias: orNull(text('The alias of the alert.')),
    entity: orNull(text('The subject of the alert.')),
    details: orNull(textMap('Additional details, by name.')),
  },
})

const mattermostWebhook = systemBlock({
  slug: 'mattermost-webhook',
  name: 'Mattermost Webhook',
  title: 'MattermostWebhook',
  description: 'Writes notifications to Mattermost channels.',
  checksum: '34daad1160b59fb6d5c8fc59d09abb2cbf9c2283b7b9f6a76cbaad827002d14c',
  capabilities,
  fields: {
    notify_type: severity,
    hostname: required(text('The name of the server.', { examples: ['mattermost.example.com'] })),
    secure: flag('Use HTTPS.', { default: false }),
    token: required(secret('The token of the webhook.')),
    botname: orNull(text('The name of the sender.', { title: 'Bot name' })),
    channels: orNull(textList('The channels to write to.')),
    include_image: withImage(false),
    path: orNull(text('A path after the host name.')),
    port: integer('The port of the server.', { default: 8065 }),
  },
})

const discordWebhook = systemBlock({
  slug: 'discord-webhook',
  name: 'Discord Webhook',
  title: 'DiscordWebhook',
  description: 'Writes notifications to a Discord channel.',
  checksum: 'b3ea94c0ce1573b22c0e7bf2457f5f52a210327e0f7be05c74970a246304b1e2',
  capabilities,
  fields: {
    notify_type: severity,
    webhook_id: required(secret("The first of the two parts of the webhook's address.")),
    webhook_token: required(secret("The second of the two parts of the webhook's address.")),
    botname: orNull(text('The name of the sender.', { title: 'Bot name' })),
    tts: flag('Send text-to-speech messages.', { default: false }),
    include_image: withImage(false),
    avatar: flag('Override the avatar of the webhook.', { default: false }),
    avatar_url: orNull(text('The URL of the avatar image.', { title: 'Avatar URL' })),
  },
})

const customWebhook = systemBlock({
  slug: 'custom-webhook',
  name: 'Custom Webhook',
  title: 'CustomWebhookNotificationBlock',
  description:
    'Sends notifications to any URL in a custom format. In every text, {{subject}}, {{body}} and {{name}} are replaced by those of the notification, and names of secrets by their values.',
  checksum: '69076241f2b9959ae97554957a22ec428886b46f6ed4732af160e117d487c0cf',
  capabilities,
  fields: {
    name: required(text('The name of the webhook.')),
    url: required(text('The URL to call.', { title: 'Webhook URL' })),
    method: choice('The HTTP method.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'POST' }),
    params: orNull(textMap('The query parameters.', { title: 'Query Params' })),
    json_data: orNull(map('A JSON body.', { title: 'JSON Data', additionalProperties: true })),
    form_data: either(
      'A form body or any text, instead of JSON.',
      [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'string' }, { type: 'null' }],
      { default: null },
    ),
    headers: orNull(textMap('Request headers.')),
    cookies: orNull(textMap('Request cookies.')),
    timeout: number('Timeout in seconds.', { default: 10 }),
    allow_private_urls: privateUrls,
    secrets: secretMap('Secret values for the other fields, by name.', { title: 'Custom Secret Values' }),
  },
})

const sendgridEmail = systemBlock({
  slug: 'sendgrid-email',
  name: 'Sendgrid Email',
  title: 'SendgridEmail',
  description: 'Sends notifications as e-mail through SendGrid.',
  checksum: 'b67583d3b7ce215cd84a58ba42bb8936294cc1417ff3fe54d0fb08447932c6f2',
  capabilities,
  fields: {
    notify_type: severity,
    api_key: required(secret('The API key of the account.', { title: 'API Key' })),
    sender_email: required(text('The e-mail address of the sender.', { title: 'Sender email id', examples: ['flows@example.com'] })),
    to_emails: required(textList('The e-mail addresses of the recipients.', { title: 'Recipient emails' })),
  },
})

export const notificationBlocks = [
  slackWebhook,
  teamsWebhook,
  pagerDutyWebhook,
  twilioSms,
  opsgenieWebhook,
  mattermostWebhook,
  discordWebhook,
  customWebhook,
  sendgridEmail,
]
