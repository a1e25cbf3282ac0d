import type { Texts } from './en.ts'

export const texts = {
  lead: 'Connectez-vous aux applications avec un seul compte.',
  account: 'Votre compte',
  accountText: 'Votre profil, mot de passe, seconds facteurs et applications.',
  console: 'Console',
  consoleText: 'Pour les administrateurs : applications, utilisateurs et activité.',
  documentation: 'Documentation',
  documentationText: 'Créer des applications avec ce serveur, l’exploiter et l’administrer. En anglais.',
  api: 'Référence de l’API',
  apiText: 'Pour les développeurs : tous les points d’accès, à lire et à essayer.',
  metadata: 'Métadonnées du serveur',
  metadataText: 'Pour les bibliothèques clientes : les adresses de tous les points d’accès.',
} satisfies Texts
