import { type Notifier, optionalText, postJson, requireText, textList, toPlainText } from './notifier.ts'

export const slack: Notifier = (data, notification) => [
  postJson(requireText(data, 'url'), { text: notification.subject === '' ? notification.body : `*${notification.subject}*\n${notification.body}` }),
]

/** Teams workflows expect a message with an adaptive card. */
export const teams: Notifier = (data, { subject, body }) => {
  const wrap = data.wrap !== false
  const title = subject === '' ? [] : [{ type: 'TextBlock', text: subject, weight: 'Bolder', size: 'Medium', wrap }]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [...title, { type: 'TextBlock', text: body, wrap }],
  }
  return [postJson(requireText(data, 'url'), { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] })]
}

/** Discord accepts at most 2,000 characters. */
export const discord: Notifier = (data, notification) => {
  const url = `https://discord.com/api/webhooks/${encodeURIComponent(requireText(data, 'webhook_id'))}/${encodeURIComponent(requireText(data, 'webhook_token'))}`
  const text = notification.subject === '' ? notification.body : `**${notification.subject}**\n${notification.body}`
  return [
    postJson(url, {
      content: text.slice(0, 2000),
      username: optionalText(data, 'botname'),
      avatar_url: optionalText(data, 'avatar_url'),
      tts: data.tts === true,
    }),
  ]
}

/** Sends one message per channel, or one to the default channel of the webhook. */
export const mattermost: Notifier = (data, notification) => {
  const scheme = data.secure === false ? 'http' : 'https'
  const port = typeof data.port === 'number' ? `:${data.port}` : ''
  const path = (optionalText(data, 'path') ?? '').replace(/^\/+|\/+$/g, '')
  const url = `${scheme}://${requireText(data, 'hostname')}${port}/${path === '' ? '' : `${path}/`}hooks/${encodeURIComponent(requireText(data, 'token'))}`
  const channels = textList(data, 'channels')
  const message = { text: toPlainText(notification), username: optionalText(data, 'botname') }
  return channels.length === 0
    ? [postJson(url, message)]
    : channels.map((channel) => postJson(url, { ...message, channel: channel.replace(/^#/, '') }))
}
