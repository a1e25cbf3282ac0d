import type { Texts } from './en.ts'

export const texts = {
  choose: {
    heading: 'Ajouter un second facteur',
    lead: 'Ici, votre mot de passe ne suffit pas. Choisissez ce que vous utiliserez en plus ; vous pourrez en ajouter d’autres par la suite.',
    passkey: 'Clé d’accès',
    passkeyLead:
      'Votre empreinte digitale, votre visage ou un code PIN sur cet appareil, ou une clé de sécurité.',
    addPasskey: 'Ajouter une clé d’accès',
    app: 'Application d’authentification',
    appLead: 'Une application de votre téléphone qui affiche un nouveau code toutes les 30 secondes.',
    addApp: 'Configurer une application',
    nothing:
      'Ce serveur ne propose aucun second facteur que vous pourriez ajouter. Adressez-vous à l’administration.',
  },
  addPasskey: {
    heading: 'Ajouter une clé d’accès',
    lead: 'Avec une clé d’accès, vous vous connectez par votre empreinte digitale, votre visage, un code PIN ou une clé de sécurité, même sans mot de passe.',
    name: 'Nom',
    nameHint: 'Pour la reconnaître plus tard.',
    submit: 'Ajouter la clé d’accès',
    cancelled: 'Aucune clé d’accès n’a été ajoutée : l’opération a été annulée ou a pris trop de temps.',
    invalid: 'La clé d’accès n’a pas pu être ajoutée. Réessayez.',
    taken: 'Cet appareil ou cette clé possède déjà une clé d’accès pour ce compte.',
    tooMany: 'Vous avez atteint le nombre maximal de clés d’accès. Supprimez-en d’abord une.',
    badName: 'Le nom doit comporter de 1 à 100 caractères visibles.',
    unavailable: 'Ce serveur ne propose pas de clés d’accès.',
  },
  addApp: {
    heading: 'Configurer une application d’authentification',
    scan: 'Scannez ce code QR avec l’application.',
    picture: 'Code QR pour l’application. Il contient la même clé que celle indiquée au-dessous.',
    type: 'Ou saisissez cette clé dans l’application :',
    open: 'Ou l’ouvrir dans l’application sur cet appareil',
    code: 'Code affiché par l’application',
    submit: 'Terminer',
    wrong: 'Ce code est incorrect. Vérifiez l’heure de votre téléphone, puis essayez le code suivant.',
    unavailable: 'Ce serveur ne propose pas d’applications d’authentification.',
  },
  codes: {
    heading: 'Vos codes de secours',
    lead: 'Si vous perdez votre second facteur, connectez-vous avec votre mot de passe et l’un de ces codes. Chacun ne sert qu’une fois.',
    keep: 'Imprimez-les ou notez-les, et conservez-les en lieu sûr. Ils ne seront plus affichés.',
    replaced: 'Vos codes précédents ne fonctionnent plus.',
    stored: 'Je les ai conservés',
  },
} satisfies Texts
