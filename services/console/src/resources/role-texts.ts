import { declareTexts } from '../texts/language.ts'

/** The texts about the roles of a resource server. */
export const roleTexts = declareTexts({
  en: {
    rolesText:
      'What users, groups and clients can be here. Tokens name a role by its name: a word without quotes, backslashes, commas and colons.',
    role: 'Role',
    roleWords: 'Its purpose',
    roleWordsExample: 'Edits orders',
    roleScopes: 'Scopes that it gives',
    roleMayGive: 'Owners of organizations may give it',
    addRole: 'Add role',
    saveRoles: 'Save roles',
    roleMissing: 'Enter a name.',
    roleTwice: 'There is a role of this name already, perhaps in other upper and lower case.',
    roleInvalid: 'A word without quotes, backslashes, commas and colons.',
    takeRolesTitle: (roles: string) => `Take something from ${roles}?`,
    takeRolesEnds: [
      'Access tokens that were made by these roles end at once.',
      'Refresh tokens go on with what is left. Only users who have no scope left must log in again.',
    ],
    byRoleText:
      'A token has only those scopes that the roles of its user give, or those of its client where it has no user.',
    notByRoleText: 'The scopes do not depend on roles.',
    byRole: 'Give scopes by role',
    notByRole: 'Give scopes without roles',
    byRoleTitle: 'Give scopes by role?',
    byRoleEnds: [
      'Nobody without a role gets a token for this resource server.',
      'Older access tokens for it end; apps get new ones with what the roles give.',
    ],
    byRoleNotice: (name: string) => `The roles give the scopes of ${name}.`,
    notByRoleNotice: (name: string) => `The scopes of ${name} do not depend on roles.`,
  },
  de: {
    rolesText:
      'Was Benutzer, Gruppen und Clients hier sein können. Tokens nennen Rollen bei ihrem Namen: einem Wort ohne Anführungszeichen, Backslashes, Kommas und Doppelpunkte.',
    role: 'Rolle',
    roleWords: 'Wozu sie dient',
    roleWordsExample: 'Bearbeitet Bestellungen',
    roleScopes: 'Scopes, die sie gibt',
    roleMayGive: 'Besitzer von Organisationen dürfen sie geben',
    addRole: 'Rolle hinzufügen',
    saveRoles: 'Rollen speichern',
    roleMissing: 'Geben Sie einen Namen ein.',
    roleTwice: 'Eine Rolle mit diesem Namen gibt es schon, vielleicht in anderer Groß- und Kleinschreibung.',
    roleInvalid: 'Ein Wort ohne Anführungszeichen, Backslashes, Kommas und Doppelpunkte.',
    takeRolesTitle: (roles) => `Etwas von ${roles} wegnehmen?`,
    takeRolesEnds: [
      'Access-Tokens, die durch diese Rollen entstanden sind, enden sofort.',
      'Refresh-Tokens gelten weiter, mit dem, was übrig ist. Nur wem kein Scope bleibt, muss sich neu anmelden.',
    ],
    byRoleText:
      'Ein Token hat nur die Scopes, die die Rollen seines Benutzers geben, oder ohne Benutzer die seines Clients.',
    notByRoleText: 'Die Scopes hängen nicht von Rollen ab.',
    byRole: 'Scopes nach Rolle geben',
    notByRole: 'Scopes ohne Rollen geben',
    byRoleTitle: 'Scopes nach Rolle geben?',
    byRoleEnds: [
      'Wer keine Rolle hat, erhält kein Token für diesen Resource-Server.',
      'Ältere Access-Tokens für ihn enden; Apps erhalten neue mit dem, was die Rollen geben.',
    ],
    byRoleNotice: (name) => `Die Scopes von ${name} geben die Rollen.`,
    notByRoleNotice: (name) => `Die Scopes von ${name} hängen nicht von Rollen ab.`,
  },
  ar: {
    rolesText:
      'ما يمكن أن يكون للمستخدمين والمجموعات والعملاء هنا. تُعرف الأدوار في الرموز بأسمائها. الاسم كلمة بلا علامات اقتباس أو شرطة مائلة عكسية أو فاصلة أو نقطتين.',
    role: 'الدور',
    roleWords: 'الغرض منه',
    roleWordsExample: 'يعدّل الطلبات',
    roleScopes: 'النطاقات التي يعطيها',
    roleMayGive: 'يمكن لمالكي المؤسسات منحه',
    addRole: 'إضافة دور',
    saveRoles: 'حفظ الأدوار',
    roleMissing: 'أدخل اسمًا.',
    roleTwice: 'يوجد دور بهذا الاسم بالفعل، وربما باختلاف حالة الأحرف فقط.',
    roleInvalid: 'كلمة بلا علامات اقتباس أو شرطة مائلة عكسية أو فاصلة أو نقطتين.',
    takeRolesTitle: (roles) => `الأخذ من ${roles}؟`,
    takeRolesEnds: [
      'تنتهي رموز الوصول التي أُنشئت بهذه الأدوار فورًا.',
      'تستمر رموز التجديد بما تبقّى. لا يلزم تسجيل الدخول مجددًا إلا إذا لم يبقَ نطاق.',
    ],
    byRoleText:
      'لا يحتوي الرمز إلا على النطاقات التي تعطيها أدوار مستخدمه، أو أدوار عميله إن لم يكن له مستخدم.',
    notByRoleText: 'لا تعتمد النطاقات على الأدوار.',
    byRole: 'إعطاء النطاقات حسب الدور',
    notByRole: 'إعطاء النطاقات دون أدوار',
    byRoleTitle: 'إعطاء النطاقات حسب الدور؟',
    byRoleEnds: [
      'من ليس له دور لا يحصل على أي رمز لخادم الموارد هذا.',
      'تنتهي رموز الوصول الأقدم له، فيحصل التطبيق على رمز جديد بما تعطيه الأدوار.',
    ],
    byRoleNotice: (name) => `نطاقات ${name} تعطيها الأدوار.`,
    notByRoleNotice: (name) => `نطاقات ${name} لا تعتمد على الأدوار.`,
  },
})
