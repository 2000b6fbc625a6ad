import { describe, expect, test } from 'vitest'
import { allNotifiers } from '../actions/send-notification.ts'
import { type BlockData, InvalidBlockError, type NotificationText } from './notifier.ts'

const notice = { subject: 'Subject', body: 'The body' }
const sent = (slug: string, data: BlockData, notification: NotificationText = notice) => {
  const requests = allNotifiers.get(slug)?.(data, notification) ?? []
  return requests.map(({ method, url, headers, body }) => ({
    method,
    url,
    headers,
    body: /json/.test(headers?.['content-type'] ?? '') ? JSON.parse(body ?? '') : body,
  }))
}

describe('notifiers', () => {
  test('formats a Slack message', () => {
    expect(sent('slack-webhook', { url: 'https://hooks.slack.com/x' })).toMatchObject([
      { method: 'POST', url: 'https://hooks.slack.com/x', body: { text: '*Subject*\nThe body' } },
    ])
    expect(sent('slack-webhook', { url: 'https://a' }, { subject: '', body: 'b' })[0]?.body).toEqual({ text: 'b' })
  })

  test('formats a Teams card', () => {
    const [request] = sent('ms-teams-webhook', { url: 'https://teams', wrap: false })
    expect(request?.body).toMatchObject({
      type: 'message',
      attachments: [
        {
          content: {
            type: 'AdaptiveCard',
            body: [
              { text: 'Subject', wrap: false },
              { text: 'The body', wrap: false },
            ],
          },
        },
      ],
    })
  })

  test('truncates a Discord message', () => {
    const [request] = sent(
      'discord-webhook',
      { webhook_id: 'a/b', webhook_token: 't', botname: 'bot', tts: true },
      { subject: 's', body: 'x'.repeat(5000) },
    )
    expect(request?.url).toBe('https://discord.com/api/webhooks/a%2Fb/t')
    expect(request?.body).toMatchObject({ username: 'bot', tts: true })
    expect(request?.body.content).toHaveLength(2000)
  })

  test('sends to each Mattermost channel', () => {
    const data = { hostname: 'chat.example', token: 'abc', port: 8065, path: '/team/', channels: ['#a', 'b'], botname: 'bot', secure: false }
    expect(sent('mattermost-webhook', data)).toMatchObject([
      { url: 'http://chat.example:8065/team/hooks/abc', body: { text: 'Subject\nThe body', channel: 'a', username: 'bot' } },
      { body: { channel: 'b' } },
    ])
    expect(sent('mattermost-webhook', { hostname: 'h', token: 't' })).toMatchObject([{ url: 'https://h/hooks/t' }])
  })

  test('formats a PagerDuty event', () => {
    const data = {
      integration_key: 'key',
      region_name: 'eu',
      notify_type: 'failure',
      component: 'c',
      custom_details: { a: 'b' },
      clickable_url: 'https://x',
    }
    expect(sent('pager-duty-webhook', data)).toMatchObject([
      {
        url: 'https://events.eu.pagerduty.com/v2/enqueue',
        body: {
          routing_key: 'key',
          event_action: 'trigger',
          payload: { summary: 'Subject', severity: 'critical', component: 'c', custom_details: { a: 'b', body: 'The body' } },
          links: [{ href: 'https://x' }],
        },
      },
    ])
  })

  test('formats an Opsgenie alert', () => {
    const [request] = sent('opsgenie-webhook', { apikey: 'k', target_user: ['ann'], target_team: ['ops'], priority: 2, tags: ['t'] })
    expect(request).toMatchObject({
      url: 'https://api.opsgenie.com/v2/alerts',
      headers: { authorization: 'GenieKey k' },
      body: {
        message: 'Subject',
        responders: [
          { type: 'user', username: 'ann' },
          { type: 'team', name: 'ops' },
        ],
        priority: 'P2',
        tags: ['t'],
      },
    })
  })

  test('sends to each Twilio number', () => {
    const requests = sent('twilio-sms', { account_sid: 'AC1', auth_token: 't', from_phone_number: '+1', to_phone_numbers: ['+2', '+3'] })
    expect(requests.map(({ body }) => new URLSearchParams(body).get('To'))).toEqual(['+2', '+3'])
    expect(requests[0]).toMatchObject({
      url: 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
      headers: { authorization: `Basic ${btoa('AC1:t')}` },
    })
  })

  test('formats a SendGrid mail', () => {
    expect(sent('sendgrid-email', { api_key: 'k', sender_email: 'a@x', to_emails: ['b@x', 'c@x'] })).toMatchObject([
      {
        headers: { authorization: 'Bearer k' },
        body: {
          personalizations: [{ to: [{ email: 'b@x' }, { email: 'c@x' }] }],
          from: { email: 'a@x' },
          subject: 'Subject',
          content: [{ value: 'The body' }],
        },
      },
    ])
  })

  test('fills the placeholders of a custom webhook', () => {
    const data = {
      name: 'mine',
      url: 'https://x/{{ name }}?old=1',
      method: 'PUT',
      params: { q: '{{subject}} & more' },
      headers: { 'X-Token': 'Bearer {{token}}' },
      cookies: { session: '{{ token }}' },
      json_data: { text: '{{subject}}: {{body}}', raw: '{{count}}', nested: [{ n: 1 }] },
      secrets: { token: 'secret', count: 5 },
    }
    expect(sent('custom-webhook', data)).toEqual([
      {
        method: 'PUT',
        url: 'https://x/mine?old=1&q=Subject+%26+more',
        headers: { 'content-type': 'application/json', 'x-token': 'Bearer secret', cookie: 'session=secret' },
        body: { text: 'Subject: The body', raw: 5, nested: [{ n: 1 }] },
      },
    ])
    expect(sent('custom-webhook', { name: 'n', url: 'https://x', form_data: { a: '{{body}}' } })[0]?.body).toBe('a=The+body')
    expect(sent('custom-webhook', { name: 'n', url: 'https://x', form_data: 'raw {{body}}' })[0]?.body).toBe('raw The body')
  })
})

describe('rejects invalid blocks', () => {
  test.each([
    ['slack-webhook', {}, '"url"'],
    ['discord-webhook', { webhook_id: 'a' }, '"webhook_token"'],
    ['twilio-sms', { account_sid: 'a', auth_token: 't', from_phone_number: '1', to_phone_numbers: [] }, 'missing "to_phone_numbers"'],
    ['sendgrid-email', { api_key: 'k', sender_email: 'a' }, 'missing "to_emails"'],
    ['custom-webhook', { url: 'https://{{nobody}}' }, '{{nobody}}'],
    ['custom-webhook', { url: 'https://x', json_data: {}, form_data: {} }, 'both'],
    ['custom-webhook', { url: 'https://x', method: 'TRACE' }, 'TRACE'],
  ])('%s %j', (slug, data, message) => {
    expect(() => sent(slug, data)).toThrow(InvalidBlockError)
    expect(() => sent(slug, data)).toThrow(message)
  })
})
