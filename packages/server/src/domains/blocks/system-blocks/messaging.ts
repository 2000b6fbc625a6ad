import { systemBlock } from './define-block.ts'
import { definition, either, integer, required, secret, text } from './fields.ts'

const emailServerCredentials = systemBlock({
  slug: 'email-server-credentials',
  name: 'Email Server Credentials',
  title: 'EmailServerCredentials',
  description: 'Credentials for an SMTP server.',
  checksum: '56d6491f4b2d4aaae5ce604652416f44d0c8fa39ca68c5f747aee7cb518a41d0',
  version: '0.3.2',
  fields: {
    username: text('The user name, if the server requires one.'),
    password: secret('The password, if the server requires one.'),
    smtp_server: either('The name of the server.', [definition('SMTPServer'), { type: 'string' }], {
      title: 'SMTP Server',
      default: 'smtp.gmail.com',
    }),
    smtp_type: either('The connection security: SSL, STARTTLS or INSECURE.', [definition('SMTPType'), { type: 'string' }], {
      title: 'SMTP Type',
      default: 465,
    }),
    smtp_port: integer('The port, if it is not the default.', { title: 'SMTP Port' }),
  },
  definitions: {
    SMTPServer: {
      title: 'SMTPServer',
      enum: [
        'smtp.aol.com',
        'smtp.mail.att.net',
        'smtp.comcast.net',
        'smtp.mail.me.com',
        'smtp.gmail.com',
        'smtp-mail.outlook.com',
        'smtp.mail.yahoo.com',
      ],
    },
    SMTPType: { title: 'SMTPType', enum: [465, 587, 25] },
  },
})

const slackCredentials = systemBlock({
  slug: 'slack-credentials',
  name: 'Slack Credentials',
  title: 'SlackCredentials',
  description: 'Credentials for Slack.',
  checksum: 'f79058d8fcf22ed575f824b27daa68a52fedaa0e40f7a8a542d4ac9cf3ee8317',
  version: '0.2.2',
  fields: { token: required(secret('The OAuth token of the bot.')) },
})

export const messagingBlocks = [emailServerCredentials, slackCredentials]
