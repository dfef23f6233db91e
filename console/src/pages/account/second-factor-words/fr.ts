import { plural } from '../../../messages/plural.ts'
import type { Widen } from '../../../messages/shape.ts'
import type en from './en.ts'

const words: Widen<typeof en> = {
  title: 'Second facteur',
  help: 'Quelque chose que vous seul possédez, en plus du mot de passe. Qui apprend votre mot de passe n’entre pas sans lui.',
  required: 'L’opérateur de ce service en exige un.',
  requiredTitle: 'Configurez un second facteur',
  requiredHelp: 'L’opérateur de ce service en exige un. Cela prend une minute, une seule fois.',
  authenticator: 'Application d’authentification',
  authenticatorHelp: 'Affiche un nouveau code toutes les 30 secondes.',
  addAuthenticator: 'Configurer une application',
  replaceAuthenticator: 'Passer à un autre téléphone',
  scan: 'Scannez ce code avec une application d’authentification, ou saisissez-y la clé.',
  qr: 'Code QR pour l’application d’authentification',
  key: 'Clé',
  firstCode: 'Code affiché par l’application',
  finish: 'Terminer',
  passkey: 'Clé d’accès',
  passkeyHelp: 'Le verrouillage de cet appareil, ou une clé de sécurité.',
  addPasskey: 'Ajouter une clé d’accès',
  passkeyName: 'Nom de la clé d’accès',
  passkeyNameHelp: 'Pour la reconnaître dans cette liste.',
  onlyByName:
    'Les clés d’accès demandent une adresse avec un nom d’hôte. Les navigateurs n’en ont pas aux adresses chiffrées.',
  added: 'Ajouté',
  remove: 'Retirer',
  removeAsk: (name) => `Retirer « ${name} » ?`,
  removeHelp: 'Il ne sera plus demandé. Sans aucun second facteur, le mot de passe suffit.',
  removed: 'Retiré',
  lastStays: 'Le dernier reste : l’opérateur de ce service en exige un.',
  recovery: 'Codes de secours',
  codesLeft: (count) => plural('fr', count, { one: '# code restant', other: '# codes restants' }),
  renew: 'Nouveaux codes',
  renewAsk: 'Créer de nouveaux codes de secours ?',
  renewHelp: 'Ceux que vous avez ne fonctionneront plus.',
  codesTitle: 'Gardez ces codes de secours',
  codesHelp:
    'Chacun ouvre votre compte une fois si vous perdez votre téléphone ou votre clé. Ils ne seront plus affichés : imprimez-les, ou mettez-les avec vos mots de passe.',
  copy: 'Copier',
  download: 'Télécharger',
  kept: 'Je les ai gardés',
  otherAccount: 'Se déconnecter',
}
export default words
