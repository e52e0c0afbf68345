# Run in this folder: gnuplot contact_map.gp
set datafile separator ','
set encoding utf8
set border 3 lw 1
set tics nomirror out
set grid xtics ytics back lt 1 lc rgb '#dddddd' lw 0.5
set style line 1 lc rgb '#08306b' lw 2 pt 7 ps 0.8
set style line 2 lc rgb '#e6740b' lw 2 pt 5 ps 0.8
set style line 3 lc rgb '#000000' lw 1.5 dt 2
set style line 4 lc rgb '#777777' lw 1.5 dt 4
# Viridis: its lightness grows evenly, so it reads the same in grey.
set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')
set terminal svg size 860,860 enhanced font 'Helvetica,14' background rgb 'white'
set output 'contact_map.svg'
set title "RF00162.fasta: 107 sites, the 107 best pairs\nFrobenius norm, zero-sum gauge, without the gap ., average product correction, separation >= 4" noenhanced font ',12'
unset grid
set border 15
set size ratio 1
# From white to dark: reads the same in grey.
set palette defined (0 '#ffffff', 1 '#9ecae1', 2 '#3182bd', 3 '#08306b')
set xlabel 'site'
set ylabel 'site'
set cblabel 'score (Frobenius norm, corrected)' noenhanced
set xrange [0.5:107.5]
set yrange [107.5:0.5]
set cbrange [0:2.51149644]
set key outside below horizontal
plot 'contact_map.csv' using 'j':'i':'score' with image notitle, \
     'contact_pairs.csv' using 'i':'j' with points pt 7 ps 0.64 lc rgb '#08306b' title 'below the diagonal: the 107 best pairs', \
     x with lines lc rgb '#777777' lw 0.5 notitle
unset output
unset multiplot
set terminal pngcairo size 860,860 enhanced font 'Helvetica,14' background rgb 'white'
set output 'contact_map.png'
set title "RF00162.fasta: 107 sites, the 107 best pairs\nFrobenius norm, zero-sum gauge, without the gap ., average product correction, separation >= 4" noenhanced font ',12'
unset grid
set border 15
set size ratio 1
# From white to dark: reads the same in grey.
set palette defined (0 '#ffffff', 1 '#9ecae1', 2 '#3182bd', 3 '#08306b')
set xlabel 'site'
set ylabel 'site'
set cblabel 'score (Frobenius norm, corrected)' noenhanced
set xrange [0.5:107.5]
set yrange [107.5:0.5]
set cbrange [0:2.51149644]
set key outside below horizontal
plot 'contact_map.csv' using 'j':'i':'score' with image notitle, \
     'contact_pairs.csv' using 'i':'j' with points pt 7 ps 0.64 lc rgb '#08306b' title 'below the diagonal: the 107 best pairs', \
     x with lines lc rgb '#777777' lw 0.5 notitle
unset output
