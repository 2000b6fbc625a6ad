import { BadBlock, listed, type Notifier, needed, postJson, together } from './notice.ts'

const basic = (user: string, password: string): string => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

/** A text message for each number. */
export const twilio: Notifier = (data, notice) => {
  const account = needed(data, 'account_sid')
  const numbers = listed(data, 'to_phone_numbers')
  if (numbers.length === 0) throw new BadBlock('The block names no phone numbers')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: basic(account, needed(data, 'auth_token')) }
  const url = `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(account)}/Messages.json`
  return numbers.map((to) => ({
    method: 'POST',
    url,
    headers,
    body: new URLSearchParams({ To: to, From: needed(data, 'from_phone_number'), Body: together(notice) }).toString(),
  }))
}

export const sendgrid: Notifier = (data, { subject, body }) => {
  const to = listed(data, 'to_emails')
  if (to.length === 0) throw new BadBlock('The block names no receivers')
  const mail = {
    personalizations: [{ to: to.map((email) => ({ email })) }],
    from: { email: needed(data, 'sender_email') },
    subject: subject || 'Notification',
    content: [{ type: 'text/plain', value: body }],
  }
  return [postJson('https://api.sendgrid.com/v3/mail/send', mail, { authorization: `Bearer ${needed(data, 'api_key')}` })]
}
