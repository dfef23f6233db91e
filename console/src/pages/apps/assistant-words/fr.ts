import { plural } from '../../../messages/plural.ts'
import type { Widen } from '../../../messages/shape.ts'
import type en from './en.ts'

const words: Widen<typeof en> = {
  title: 'Assistants',
  help: 'Des programmes de discussion qui consultent votre boutique pour vous et la modifient si vous le permettez. Demandez à voir un changement d’abord : ils peuvent le montrer avant de le faire.',
  addressHelp: 'Chaque boutique a une adresse pour les assistants. Qui la connaît ne peut encore rien en faire.',
  address: (store) => `Adresse de ${store}`,
  copy: 'Copier',
  mayNot: 'Vous ne pouvez pas connecter d’assistant à cette boutique. Demandez à un propriétaire.',
  noStores: 'Vous n’avez aucune boutique à laquelle connecter un assistant.',
  howTitle: 'Comment en ajouter un',
  how: [
    'Copiez l’adresse de la boutique.',
    'Dans les réglages de votre assistant, cherchez connecteurs, outils ou serveurs MCP, ajoutez-en un et collez l’adresse.',
    'L’assistant ouvre une page de cette console. Choisissez-y ce qu’il peut faire. Consulter suffit pour des questions.',
    'Pour être sûr qu’il ne change jamais rien, ajoutez &mode=read à l’adresse.',
  ],
  connected: 'Connectés',
  none: 'Aucun assistant n’est connecté',
  noneHelp: 'Ceux qui le sont figurent ici, avec ce qu’ils peuvent faire et leur dernière utilisation.',
  ofStore: 'Assistants des personnes',
  ofStoreHelp:
    'Connectés par des personnes de la boutique. Chacun peut faire ce que sa personne a coché, et jamais plus qu’elle.',
  by: 'Connecté par',
  since: 'depuis',
  lastUse: 'Dernière utilisation',
  never: 'Pas encore utilisé',
  calls: (count) => plural('fr', count, { one: '# appel', many: '# d’appels', other: '# appels' }),
  may: 'Il peut',
  nothing: 'Rien pour le moment : vous ou la boutique avez perdu ce qui était coché, ou il a été désactivé.',
  cutOff: 'Déconnecter',
  cutOffAsk: (name) => `Déconnecter ${name} ?`,
  cutOffHelp:
    'Il ne peut plus rien faire, aussitôt. Ce qu’il a changé reste. Pour le reconnecter, recommencez dans l’assistant.',
  done: 'Déconnecté',
}

export default words
