import { type Notifier, objectField, optionalText, postJson, requireText, textList, toPlainText } from './notifier.ts'

const severities: Readonly<Record<string, string>> = { info: 'info', success: 'info', warning: 'warning', failure: 'critical' }

export const pagerDuty: Notifier = (data, { subject, body }) => {
  const host = data.region_name === 'eu' ? 'events.eu.pagerduty.com' : 'events.pagerduty.com'
  const link = optionalText(data, 'clickable_url')
  return [
    postJson(`https://${host}/v2/enqueue`, {
      routing_key: requireText(data, 'integration_key'),
      event_action: 'trigger',
      payload: {
        summary: (subject || body).slice(0, 1024),
        source: optionalText(data, 'source') ?? 'Millrace',
        severity: severities[optionalText(data, 'notify_type') ?? 'info'] ?? 'info',
        component: optionalText(data, 'component'),
        group: optionalText(data, 'group'),
        class: optionalText(data, 'class_id'),
        custom_details: { ...objectField(data, 'custom_details'), ...(subject === '' ? {} : { body }) },
      },
      links: link === undefined ? [] : [{ href: link, text: link }],
    }),
  ]
}

const responders = [
  ['target_user', 'user', 'username'],
  ['target_team', 'team', 'name'],
  ['target_schedule', 'schedule', 'name'],
  ['target_escalation', 'escalation', 'name'],
] as const

export const opsgenie: Notifier = (data, notification) => {
  const host = data.region_name === 'eu' ? 'api.eu.opsgenie.com' : 'api.opsgenie.com'
  const priority = typeof data.priority === 'number' ? `P${data.priority}` : undefined
  const alert = {
    message: (notification.subject || notification.body).slice(0, 130),
    description: toPlainText(notification).slice(0, 15_000),
    responders: responders.flatMap(([field, type, key]) => textList(data, field).map((name) => ({ type, [key]: name }))),
    tags: textList(data, 'tags'),
    priority,
    alias: optionalText(data, 'alias'),
    entity: optionalText(data, 'entity'),
    details: objectField(data, 'details'),
  }
  return [postJson(`https://${host}/v2/alerts`, alert, { authorization: `GenieKey ${requireText(data, 'apikey')}` })]
}
