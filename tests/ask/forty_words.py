"""Forty common words and the broader terms that count as right: what a first user types in the first minute.

Written before any answer of any model was looked at, and not to be changed to suit one. A broader term is accepted when
a dictionary would say "X is a ...": its kind at any level that still says something. Words that fit everything (thing,
type, kind, form, object, item, example, part, member, group, name, use) are never accepted.
"""

from __future__ import annotations

TOO_GENERAL = frozenset(
    "thing type kind form object item example part member group name use time way case class sort entity one".split()
)

ACCEPTED: dict[str, frozenset[str]] = {
    word: frozenset(answers.split())
    for word, answers in {
        "poodle": "dog breed animal pet mammal canine",
        "spaniel": "dog breed animal pet mammal canine hound",
        "sparrow": "bird animal passerine songbird vertebrate",
        "eagle": "bird animal raptor predator vertebrate",
        "salmon": "fish animal seafood food vertebrate",
        "shark": "fish animal predator vertebrate",
        "ant": "insect animal arthropod invertebrate",
        "beetle": "insect animal arthropod invertebrate bug",
        "oak": "tree plant wood timber hardwood",
        "rose": "flower plant shrub",
        "tulip": "flower plant bulb",
        "apple": "fruit tree food plant crop",
        "banana": "fruit crop food plant",
        "carrot": "vegetable plant crop food root",
        "wheat": "grain cereal crop plant food grass",
        "bread": "food foodstuff staple",
        "cheese": "food product foodstuff dairy",
        "guitar": "instrument",
        "piano": "instrument keyboard",
        "violin": "instrument",
        "hammer": "tool weapon implement",
        "knife": "weapon tool blade utensil implement",
        "rifle": "weapon gun firearm arm",
        "pistol": "weapon gun firearm handgun sidearm arm",
        "tank": "vehicle weapon container vessel",
        "truck": "vehicle",
        "bus": "vehicle transport transportation",
        "bicycle": "vehicle transport transportation",
        "submarine": "ship vessel boat vehicle warship craft",
        "cathedral": "church building landmark",
        "hospital": "building institution facility",
        "university": "institution school organization organisation",
        "novel": "book fiction literature work",
        "poem": "work literature text writing poetry",
        "football": "sport game",
        "chess": "game sport",
        "malaria": "disease illness infection",
        "cancer": "disease illness disorder",
        "gold": "metal element mineral",
        "oxygen": "element gas chemical",
    }.items()
}
