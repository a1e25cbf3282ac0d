import { declareTexts } from './language.ts'

/** The roles in the administration, from the one that allows least. */
export const roleNames = ['viewer', 'support', 'client_manager', 'owner'] as const

/** The name of a role in the administration. */
export type Role = (typeof roleNames)[number]

export const roleTexts = declareTexts({
  en: {
    role: 'Role',
    administration: 'Administration',
    roleText: 'What the user can do in this console and its API.',
    none: 'Ordinary user',
    noneText: 'Cannot open the console.',
    titles: { viewer: 'Viewer', support: 'Support', client_manager: 'Client manager', owner: 'Owner' },
    descriptions: {
      viewer: 'Sees everything, and changes nothing.',
      support:
        'Helps users: changes them, their sessions, factors, passwords, tokens and mails. Sees groups, organizations, connections, clients and logins.',
      client_manager:
        'Creates and changes clients and resource servers. Sees groups, organizations, connections, tokens and logins.',
      owner: 'Does everything.',
    },
    ownersOnly: 'Only owners can give roles.',
    ownRole: 'Another owner can change your role.',
    change: 'Change role',
    changeTitle: (name: string, role: string) => `Give ${name} the role ${role}?`,
    takeTitle: (name: string) => `Remove ${name}’s role?`,
    givingEnds: 'Revokes every app’s access for this user. Their sessions stay.',
    takingEnds: 'They can no longer open the console.',
    atOnce: 'Takes effect immediately.',
    changed: (name: string, role: string) => `${name} has a new role: ${role}.`,
    taken: (name: string) => `${name} is an ordinary user now.`,
  },
  de: {
    role: 'Rolle',
    administration: 'Verwaltung',
    roleText: 'Was der Benutzer in dieser Konsole und über ihre API tun darf.',
    none: 'Gewöhnlicher Benutzer',
    noneText: 'Kann die Konsole nicht öffnen.',
    titles: {
      viewer: 'Betrachter',
      support: 'Support',
      client_manager: 'Client-Verwalter',
      owner: 'Inhaber',
    },
    descriptions: {
      viewer: 'Sieht alles und ändert nichts.',
      support:
        'Hilft Benutzern: ändert sie, ihre Sitzungen, Faktoren, Passwörter, Tokens und Mails. Sieht Gruppen, Organisationen, Verbindungen, Clients und Anmeldungen.',
      client_manager:
        'Legt Clients und Resource-Server an und ändert sie. Sieht Gruppen, Organisationen, Verbindungen, Tokens und Anmeldungen.',
      owner: 'Darf alles.',
    },
    ownersOnly: 'Nur Inhaber können Rollen vergeben.',
    ownRole: 'Ihre eigene Rolle kann ein anderer Inhaber ändern.',
    change: 'Rolle ändern',
    changeTitle: (name, role) => `${name} die Rolle „${role}“ geben?`,
    takeTitle: (name) => `Rolle von ${name} entfernen?`,
    givingEnds: 'Widerruft den Zugriff aller Apps für diesen Benutzer. Die Sitzungen bleiben.',
    takingEnds: 'Der Benutzer kann die Konsole nicht mehr öffnen.',
    atOnce: 'Wird sofort wirksam.',
    changed: (name, role) => `${name} hat eine neue Rolle: ${role}.`,
    taken: (name) => `${name} hat jetzt keine Rolle mehr.`,
  },
  ar: {
    role: 'الدور',
    administration: 'الإدارة',
    roleText: 'ما يمكن للمستخدم فعله في وحدة التحكم هذه وعبر واجهتها البرمجية.',
    none: 'مستخدم عادي',
    noneText: 'لا يمكنه فتح وحدة التحكم.',
    titles: { viewer: 'مُطّلع', support: 'الدعم', client_manager: 'مدير العملاء', owner: 'مالك' },
    descriptions: {
      viewer: 'يرى كل شيء ولا يغيّر شيئًا.',
      support:
        'يساعد المستخدمين: يغيّر بياناتهم وجلساتهم وعواملهم وكلمات مرورهم ورموزهم ورسائلهم. يرى المجموعات والمؤسسات والاتصالات والعملاء وعمليات تسجيل الدخول.',
      client_manager:
        'ينشئ العملاء وخوادم الموارد ويغيّرها. يرى المجموعات والمؤسسات والاتصالات والرموز وعمليات تسجيل الدخول.',
      owner: 'يفعل كل شيء.',
    },
    ownersOnly: 'المالكون وحدهم يمنحون الأدوار.',
    ownRole: 'يمكن لمالك آخر تغيير دورك.',
    change: 'تغيير الدور',
    changeTitle: (name, role) => `منح ${name} دور «${role}»؟`,
    takeTitle: (name) => `سحب الدور من ${name}؟`,
    givingEnds: 'يُبطل وصول كل التطبيقات لهذا المستخدم. وتبقى جلساته.',
    takingEnds: 'لن يتمكن من فتح وحدة التحكم بعد ذلك.',
    atOnce: 'يسري ذلك فورًا.',
    changed: (name, role) => `لدى ${name} دور جديد: ${role}.`,
    taken: (name) => `أصبح ${name} مستخدمًا عاديًا.`,
  },
})

/** The roles that the server names when somebody's own does not allow what they asked for; none in any other message. */
export function rolesIn(refusal: string): Role[] {
  const named = /Roles that do: (.+)\.$/.exec(refusal)?.[1]?.split(', ') ?? []
  return roleNames.filter((role) => named.includes(roleTexts.en.titles[role]))
}
