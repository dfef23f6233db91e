import type { EventWords } from './en.ts'

const fr: EventWords = {
  help: 'Ce que l’application voit dans le flux de la boutique, avec un jeton à elle. Les 200 plus récents sont affichés.',
  type: 'Type',
  since: 'Depuis',
  periods: { '1': 'une heure', '24': 'hier', '168': 'une semaine', '720': '30 jours' },
  live: 'En direct',
  connected: 'En attente d’événements…',
  empty: 'Il ne s’est rien passé',
  emptyHelp:
    'Choisissez une date antérieure ou un autre type, ou modifiez la boutique : le changement apparaît ici aussitôt.',
  event: 'Événement',
  resource: 'Ressource',
  changed: 'Champs modifiés',
  by: 'Par',
  nobody: 'personne : SQL, ou une application disparue',
  time: 'Heure',
  position: 'Place dans le flux',
  id: 'Identifiant',
  previous: 'Avant',
  data: 'Données, dans leur état actuel',
  copy: 'Copier en JSON',
}
export default fr
