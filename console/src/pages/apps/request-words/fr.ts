import { plural } from '../../../messages/plural.ts'
import type { Widen } from '../../../messages/shape.ts'
import type en from './en.ts'

const fr: Widen<typeof en> = {
  title: 'L’application en demande plus',
  because: (person) =>
    `Des appels de l’application ont été refusés, car ces autorisations lui manquent. ${person}, qui la développe, les demande.`,
  grant: 'Accorder',
  decline: 'Refuser',
  grantAsk: (app) => `Que peut faire ${app} en plus ?`,
  grantHelp: 'Elle peut faire aussitôt ce que vous activez. Ce que vous laissez de côté est refusé.',
  declineAsk: (app) => `Refuser ce que demande ${app} ?`,
  declineHelp: 'L’application continue avec ce qu’elle a. On pourra vous le redemander après une semaine.',
  granted: (count) => plural('fr', count, { one: '# autorisation accordée', other: '# autorisations accordées' }),
  declined: 'Refusé',
}

export default fr
