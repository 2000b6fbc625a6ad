import { InvalidBlockError, type Notifier, postJson, requireText, textList, toPlainText } from './notifier.ts'

const basic = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** Sends one message per phone number. */
export const twilio: Notifier = (data, notification) => {
  const account = requireText(data, 'account_sid')
  const numbers = textList(data, 'to_phone_numbers')
  if (numbers.length === 0) throw new InvalidBlockError('Block is missing "to_phone_numbers".')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(account, requireText(data, 'auth_token')) }
  const url = `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`
  return numbers.map((to) => ({
    method: 'POST',
    url,
    headers,
    body: new URLSearchParams({ To: to, From: requireText(data, 'from_phone_number'), Body: toPlainText(notification) }).toString(),
  }))
}

export const sendgrid: Notifier = (data, { subject, body }) => {
  const to = textList(data, 'to_emails')
  if (to.length === 0) throw new InvalidBlockError('Block is missing "to_emails".')
  const mail = {
    personalizations: [{ to: to.map((email) => ({ email })) }],
    from: { email: requireText(data, 'sender_email') },
    subject: subject || 'Notification',
    content: [{ type: 'text/plain', value: body }],
  }
  return [postJson('https://api.sendgrid.com/v3/mail/send', mail, { authorization: `Bearer ${requireText(data, 'api_key')}` })]
}
