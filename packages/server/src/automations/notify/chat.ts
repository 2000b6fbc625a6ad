import { given, listed, type Notifier, needed, postJson, together } from './notice.ts'

export const slack: Notifier = (data, notice) => [
  postJson(needed(data, 'url'), { text: notice.subject === '' ? notice.body : `*${notice.subject}*\n${notice.body}` }),
]

/** Workflows of Teams take a message with a card. */
export const teams: Notifier = (data, { subject, body }) => {
  const wrap = data.wrap !== false
  const title = subject === '' ? [] : [{ type: 'TextBlock', text: subject, weight: 'Bolder', size: 'Medium', wrap }]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [...title, { type: 'TextBlock', text: body, wrap }],
  }
  return [postJson(needed(data, 'url'), { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] })]
}

/** Discord takes 2,000 characters at most. */
export const discord: Notifier = (data, notice) => {
  const url = `https://discord.com/api/webhooks/${encodeURIComponent(needed(data, 'webhook_id'))}/${encodeURIComponent(needed(data, 'webhook_token'))}`
  const text = notice.subject === '' ? notice.body : `**${notice.subject}**\n${notice.body}`
  return [
    postJson(url, { content: text.slice(0, 2000), username: given(data, 'botname'), avatar_url: given(data, 'avatar_url'), tts: data.tts === true }),
  ]
}

/** One message for each channel, or one for the channel that the hook belongs to. */
export const mattermost: Notifier = (data, notice) => {
  const scheme = data.secure === false ? 'http' : 'https'
  const port = typeof data.port === 'number' ? `:${data.port}` : ''
  const path = (given(data, 'path') ?? '').replace(/^\/+|\/+$/g, '')
  const url = `${scheme}://${needed(data, 'hostname')}${port}/${path === '' ? '' : `${path}/`}hooks/${encodeURIComponent(needed(data, 'token'))}`
  const channels = listed(data, 'channels')
  const message = { text: together(notice), username: given(data, 'botname') }
  return channels.length === 0
    ? [postJson(url, message)]
    : channels.map((channel) => postJson(url, { ...message, channel: channel.replace(/^#/, '') }))
}
